// Decides about transfers that are final: the receipt is read again, large amounts at a second node too, and
// then the transfer, its posting in kind and its credit are one commit.

import type { Db, Tx } from '#infra/database/db'
import { FIRST_ID } from '#infra/database/id-slices'
import type { Clock } from '#infra/process/clock'
import type { Address } from '#kernel/chain'
import type { Cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { type AcceptedToken, assetOf, type PricedAsset } from './chain.ts'
import {
  type ChainRules,
  confirmationsAt,
  finalityFor,
  type Heights,
  isFinal,
  LARGE_CENTS,
  SECOND_NODE_CENTS,
} from './policy.ts'
import type { ChainNode } from './ports.ts'
import { postArrival } from './post.ts'
import type { PriceReading, ReadPrice } from './price.ts'
import { findDenial, isConfirmedBy } from './read-again.ts'
import { PURPOSES } from './read-transfers.ts'
import { findCursor, findHalt } from './store/chains.ts'
import { collectDust } from './store/dust.ts'
import {
  type DueTransfers,
  listDueTransfers,
  postponeTransfers,
  settleTransfer,
  type Transfer,
} from './store/transfers.ts'
import {
  handlerFor,
  type TransferCredit,
  type TransferHandlers,
  type Unclaimed,
} from './transfer-handler.ts'
import { centsOf } from './value.ts'

export interface ConfirmDeps {
  readonly db: Db
  readonly clock: Clock
  readonly node: ChainNode
  readonly rules: ChainRules
  readonly handlers: TransferHandlers
  readonly treasury: Address | null
  readonly readPrice: ReadPrice
  /**
   * Opens a case in the commit that puts the money aside: a crash leaves both or neither. What it returns is
   * called after that commit.
   */
  onUnclaimed(tx: Tx, unclaimed: UnclaimedCredit): Promise<() => void>
}

export interface UnclaimedCredit
  extends Unclaimed,
    Pick<TransferCredit, 'chain' | 'token' | 'units'>,
    Pick<Transfer, 'purpose'> {}

/**
 * Why a final transfer was not decided; it is looked at again after a pause. `refused`: the handler cannot
 * credit now, for example a wallet in another currency without a rate. `node_unavailable`: the chain's node
 * or the second one did not answer about this transfer. `second_node_untraced`: the second one cannot show
 * what a contract sent.
 */
export const BLOCK_REASONS = [
  'no_price',
  'differs',
  'second_node_differs',
  'second_node_untraced',
  'no_second_node',
  'node_unavailable',
  'refused',
] as const
export type BlockReason = (typeof BLOCK_REASONS)[number]

export interface Confirmed {
  readonly credited: number
  readonly dust: number
  readonly waiting: number
  /** Transfers that were looked at and that nothing hinders. */
  readonly decided: readonly string[]
  readonly blocked: readonly { readonly transferId: string; readonly why: BlockReason }[]
  /** Why nodes did not answer about single transfers. */
  readonly failures: readonly string[]
  /** Assets without a price in this round. */
  readonly unpriced: readonly { readonly asset: PricedAsset; readonly reason: string }[]
  /** The owner behind whom the next round begins; null: with the first one. */
  readonly nextOwner: string | null
  /** The next round may find more to decide at once. */
  readonly hasMore: boolean
}

/** And of so many owners. */
const TRANSFERS_A_RUN = 200
/**
 * So many failed reads of one source in a round, and it is asked no more in that round: each costs a
 * deadline, and those behind would wait for all of them.
 */
const FAILURES_A_ROUND = 3
/** After which a transfer that could not be decided is looked at again. */
const LOOK_AGAIN_MS = 5_000

/**
 * One round. `after` is where the last one has stopped: owners take turns, so that what one of them is sent,
 * however much, delays no other.
 */
export async function confirmTransfers(
  deps: ConfirmDeps,
  signal: AbortSignal,
  after = FIRST_ID,
): Promise<Confirmed> {
  const { db, clock, rules } = deps
  const isHalted = (await findHalt(db, rules.chain)) !== null
  const { transfers: due, nextOwner }: DueTransfers = isHalted
    ? { transfers: [], nextOwner: null }
    : await listDueTransfers(db, rules.chain, { now: clock.now(), after, limit: TRANSFERS_A_RUN })
  const found = due.length === 0 ? NOTHING : await decideAll(deps, due, signal)
  return { ...found, nextOwner, hasMore: hasMore(found, { count: due.length, nextOwner }) }
}

type Found = Omit<Confirmed, 'nextOwner' | 'hasMore'>

const NOTHING: Found = {
  ...{ credited: 0, dust: 0, waiting: 0 },
  ...{ decided: [], blocked: [], failures: [], unpriced: [] },
}

/**
 * Not after a round in which a node did not answer: each further one would cost its deadlines. Nor when all
 * that was found is not final yet: it is still due, and would be found again.
 */
const hasMore = (
  { credited, dust, failures }: Found,
  { count, nextOwner }: { readonly count: number; readonly nextOwner: string | null },
): boolean =>
  failures.length === 0 &&
  (nextOwner !== null || (count === TRANSFERS_A_RUN && credited + dust > 0))

async function decideAll(
  deps: ConfirmDeps,
  due: readonly Transfer[],
  signal: AbortSignal,
): Promise<Found> {
  const { db, clock } = deps
  const heights = await readHeights(deps)
  const priceOf = oncePerRound(deps.readPrice)
  const asked = countFailures()
  const blocked: { transferId: string; why: BlockReason }[] = []
  const waiting: Transfer[] = []
  const decided: string[] = []
  const counts = { credited: 0, dust: 0 }
  for (const transfer of due) {
    if (signal.aborted || asked.isAway('node')) break
    const outcome = await decide(deps, transfer, { heights, priceOf, asked })
    if (outcome === 'not_asked') continue
    if (isBlockReason(outcome)) blocked.push({ transferId: transfer.id, why: outcome })
    else decided.push(transfer.id)
    if (outcome === 'waiting') waiting.push(transfer)
    else if (outcome === 'credited' || outcome === 'dust') counts[outcome] += 1
  }
  const now = clock.now()
  await noteWaiting(deps, waiting, heights)
  // Behind the others of their owners, so that those that wait for long never hold them up.
  await postponeTransfers(db, idsOf(waiting), now)
  const blockedIds = blocked.map(({ transferId }) => transferId)
  await postponeTransfers(db, blockedIds, new Date(now.getTime() + LOOK_AGAIN_MS))
  const unpriced = await priceOf.missing()
  const { failures } = asked
  return { ...counts, waiting: waiting.length, decided, blocked, failures, unpriced }
}

type Source = 'node' | 'second'

interface Asked {
  readonly failures: readonly string[]
  isAway(source: Source): boolean
  /** Null: it did not answer, or not with what can be read. */
  of<Answer>(source: Source, read: () => Promise<Answer>): Promise<{ answer: Answer } | null>
}

function countFailures(): Asked {
  const counts = { node: 0, second: 0 }
  const failures: string[] = []
  return {
    failures,
    isAway: (source) => counts[source] >= FAILURES_A_ROUND,
    of: async (source, read) => {
      try {
        return { answer: await read() }
      } catch (error) {
        counts[source] += 1
        failures.push(`${source}: ${error instanceof Error ? error.message : String(error)}`)
        return null
      }
    },
  }
}

const idsOf = (transfers: readonly Transfer[]): string[] => transfers.map(({ id }) => id)

async function noteWaiting(
  { db, handlers }: ConfirmDeps,
  waiting: readonly Transfer[],
  { head }: Heights,
): Promise<void> {
  if (waiting.length === 0) return
  await db.transaction(async (tx) => {
    for (const purpose of PURPOSES) {
      const seen = waiting
        .filter((transfer) => transfer.purpose === purpose)
        .map(({ id, blockNumber }) => ({
          transferId: id,
          confirmations: confirmationsAt(head, blockNumber),
        }))
      if (seen.length > 0) await handlers[purpose].noteConfirmations(tx, seen)
    }
  })
}

/** The scanned head counts, not the node's: what was scanned was also checked for re-organisations. */
async function readHeights({ db, node, rules }: ConfirmDeps): Promise<Heights> {
  const cursor = await findCursor(db, rules.chain)
  const used = new Set([rules.finality.mode, rules.largeFinality.mode])
  const heightOf = async (tag: 'safe' | 'finalized'): Promise<bigint | null> =>
    used.has(tag) ? ((await node.tag(tag))?.number ?? null) : null
  const [safe, finalized] = await Promise.all([heightOf('safe'), heightOf('finalized')])
  return { head: cursor?.number ?? -1n, safe, finalized }
}

type RoundPrices = ((asset: PricedAsset) => Promise<PriceReading>) & {
  missing(): Promise<Confirmed['unpriced']>
}

function oncePerRound(readPrice: ReadPrice): RoundPrices {
  const read = new Map<PricedAsset, Promise<PriceReading>>()
  const priceOf = (asset: PricedAsset): Promise<PriceReading> => {
    const known = read.get(asset) ?? readPrice(asset)
    read.set(asset, known)
    return known
  }
  const missing = async (): Promise<Confirmed['unpriced']> => {
    const readings = await Promise.all(
      [...read].map(async ([asset, reading]) => ({ asset, reading: await reading })),
    )
    return readings.flatMap(({ asset, reading }) =>
      reading.kind === 'none' ? [{ asset, reason: reading.reason }] : [],
    )
  }
  return Object.assign(priceOf, { missing })
}

/** `not_asked`: it keeps its turn, because a node that it needs does not answer in this round. */
type Outcome = 'credited' | 'dust' | 'waiting' | 'replaced' | 'not_asked' | BlockReason

const isBlockReason = (outcome: Outcome): outcome is BlockReason =>
  BLOCK_REASONS.some((one) => one === outcome)

async function decide(
  deps: ConfirmDeps,
  transfer: Transfer,
  round: { readonly heights: Heights; readonly priceOf: RoundPrices; readonly asked: Asked },
): Promise<Outcome> {
  const { db, rules, handlers } = deps
  const { heights } = round
  const handler = handlerFor(handlers, transfer.purpose)
  const confirmations = confirmationsAt(heights.head, transfer.blockNumber)
  // Of the two finalities the earlier one, so that no price is asked for before it can matter.
  if (!isFinal(finalityFor(rules, VALUE_BELOW_LARGE), transfer.blockNumber, heights)) {
    return 'waiting'
  }
  const price = await round.priceOf(assetOf(rules.chain, transfer.token as AcceptedToken))
  if (price.kind === 'none' && handler.isValued) return 'no_price'
  const usdE8 = price.kind === 'price' ? price.usdE8 : null
  const value = usdE8 === null ? null : centsOf(transfer.units, transfer.decimals, usdE8)
  if (!isFinal(finalityFor(rules, value), transfer.blockNumber, heights)) {
    return 'waiting'
  }
  const hindrance = await checkAgain(deps.node, transfer, { value, asked: round.asked })
  if (hindrance !== null) return hindrance
  const rateSources = price.kind === 'price' ? price.sources : []
  const credit = { ...creditOf(transfer), confirmations, usdE8, rateSources, value }
  const isDust = handler.isValued && value !== null && value < rules.minimum
  try {
    const order = { transfer, credit, isDust }
    const { outcome, announce } = await db.transaction((tx) => settle(deps, tx, order))
    announce?.()
    return outcome
  } catch (error) {
    if (error instanceof Refusal) return 'refused'
    throw error
  }
}

/** Any value below it: which finality is the earlier one does not depend on the value itself. */
const VALUE_BELOW_LARGE = (LARGE_CENTS - 1n) as Cents

const creditOf = (
  transfer: Transfer,
): Pick<TransferCredit, 'transferId' | 'ownerId' | 'chain' | 'token' | 'units'> => ({
  transferId: transfer.id,
  ownerId: transfer.ownerId,
  chain: transfer.chain,
  token: transfer.token,
  units: transfer.units,
})

/** The receipt must say now what was scanned; null when it does. */
async function checkAgain(
  node: ChainNode,
  transfer: Transfer,
  { value, asked }: { readonly value: Cents | null; readonly asked: Asked },
): Promise<BlockReason | 'not_asked' | null> {
  const { second } = node
  const needsSecond = value === null || value >= SECOND_NODE_CENTS
  if (needsSecond && second !== null && asked.isAway('second')) return 'not_asked'
  const first = await asked.of('node', () => isConfirmedBy(node, transfer))
  if (first === null) return 'node_unavailable'
  if (!first.answer) return 'differs'
  if (!needsSecond) return null
  if (second === null) return 'no_second_node'
  const other = await asked.of('second', () => findDenial(second, transfer))
  return other === null ? 'node_unavailable' : other.answer
}

interface Settled {
  readonly outcome: Outcome
  /** Of a case that was opened, after the commit. */
  readonly announce?: (() => void) | undefined
}

async function settle(
  deps: ConfirmDeps,
  tx: Tx,
  {
    transfer,
    credit,
    isDust,
  }: { transfer: Transfer; credit: Omit<TransferCredit, 'at'>; isDust: boolean },
): Promise<Settled> {
  const { clock, handlers, treasury } = deps
  const at = clock.now()
  const handler = handlerFor(handlers, transfer.purpose)
  const { usdE8, rateSources } = credit
  const state = isDust ? 'dust' : 'credited'
  const rate = usdE8 === null || isDust ? null : { usdE8, rateSources }
  const settled = await settleTransfer(tx, transfer, {
    state,
    usdE8: rate?.usdE8 ?? null,
    rateSources: rate?.rateSources ?? null,
    at,
  })
  if (!settled) return { outcome: 'replaced' }
  await postArrival(tx, { handlers, treasury }, transfer, at)
  if (!isDust) {
    const announce = await creditOwner(deps, tx, { transfer, credit: { ...credit, at } })
    return { outcome: 'credited', announce }
  }
  await handler.fail(tx, transfer.id, 'below_minimum', at)
  const announce = await creditDust(deps, tx, { transfer, credit: { ...credit, at } })
  return { outcome: 'dust', announce }
}

async function creditOwner(
  { handlers, onUnclaimed }: ConfirmDeps,
  tx: Tx,
  { transfer: { purpose }, credit }: { transfer: Transfer; credit: TransferCredit },
): Promise<Settled['announce']> {
  const unclaimed = await handlerFor(handlers, purpose).credit(tx, credit)
  if (unclaimed === null) return undefined
  const { chain, token, units } = credit
  return onUnclaimed(tx, { ...unclaimed, purpose, chain, token, units })
}

/** As soon as the small ones of an address and a token reach the minimum together, they are one credit. */
async function creditDust(
  deps: ConfirmDeps,
  tx: Tx,
  { transfer, credit }: { transfer: Transfer; credit: TransferCredit },
): Promise<Settled['announce']> {
  const { rules, handlers } = deps
  const { usdE8, rateSources, at } = credit
  if (usdE8 === null) return undefined
  const { decimals } = transfer
  const batch = await collectDust(tx, transfer, {
    leastUnits: leastUnits(rules.minimum, decimals, usdE8),
    usdE8,
    rateSources,
    at,
  })
  if (batch === null) return undefined
  const handler = handlerFor(handlers, transfer.purpose)
  const { address, txHash } = transfer
  const shared = { ...creditOf(transfer), transferId: batch.id, units: batch.units, at }
  await handler.record(tx, { ...shared, decimals, address, txHash })
  const value = centsOf(batch.units, decimals, usdE8)
  return creditOwner(deps, tx, { transfer, credit: { ...credit, ...shared, value } })
}

/** The fewest base units that are worth at least the minimum. */
const leastUnits = (minimum: Cents, decimals: number, usdE8: bigint): bigint =>
  (minimum * 10n ** BigInt(decimals + 6) + usdE8 - 1n) / usdE8
