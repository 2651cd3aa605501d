// Withdrawals from payout custody that are asked for together: all of them begin in one commit, or none.
import { lockBalances, post as postUnits, readBalances } from '#custody'
import { findSubUsers } from '#identity'
import type { Queryable, Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { Refusal, refuse } from '#kernel/refusal'
import type { PayoutNetworks } from './ports.ts'
import {
  countWithdrawals,
  hashOf,
  payable,
  type Request,
  refuseWithoutWorkers,
  refusing,
} from './request.ts'
import {
  type Batch,
  findBatch,
  insertBatch,
  insertMembers,
  type StatusCounts,
} from './store/batches.ts'
import { findMerchantSettings, findUsableDestinations } from './store/merchants.ts'
import { readQuotes } from './store/quotes.ts'
import { lockAccount } from './store/steps.ts'
import { insertWithdrawals, readByExternalIds } from './store/withdrawals.ts'
import {
  type CustodyQuote,
  type CustodyRequest,
  type Draft,
  draftOf,
  notCovered,
  quoteOf,
  requestHashOf,
  type SubmitDeps,
  type SubmittingDeps,
  setAside,
} from './submit.ts'
import { refuseDestination } from './withdrawal.ts'

export interface BatchLine extends Request {
  readonly externalId: string
  /** The id or the external id of a sub-user. */
  readonly forUser: string | null
}

export interface BatchRequest {
  readonly merchantId: string
  readonly externalId: string
  /** 1 to 500, whose external ids differ. */
  readonly lines: readonly BatchLine[]
  /** Whose spend limit it counts under; null for a person. */
  readonly keyId: string | null
}

export type BatchState = Pick<Batch, 'id' | 'externalId' | 'total' | 'createdAt'> & {
  readonly byStatus: StatusCounts
}

/**
 * A known external id returns the batch as it was accepted, with another request IDEMPOTENCY_CONFLICT.
 * Refuses SPENDING_LIMIT_REACHED, SERVICE_DISABLED while no worker lives, what `judgeLines` refuses, and what
 * it says of the first line that is refused, with its `index`.
 */
export async function submitBatch(
  deps: SubmittingDeps,
  request: BatchRequest,
): Promise<BatchState> {
  const { db, clock } = deps
  const { merchantId, externalId, lines } = request
  const requestHash = hashOf({ lines })
  const findReplay = async (): Promise<BatchState | null> =>
    replayOf(await findBatch(db, merchantId, externalId), requestHash)
  const replay = await findReplay()
  if (replay !== null) return replay
  await refuseWithoutWorkers(deps)
  const drafts: Draft[] = []
  for (const [i, line] of (await judgeLines(deps, request)).entries()) {
    // The same batch may have been written since, and be why.
    if (line instanceof Refusal) return (await findReplay()) ?? refuseLine(line, i)
    drafts.push(draftOf(line.request, line.token, requestHashOf(line.request)))
  }
  const createdAt = clock.now()
  const total = drafts.length
  const id = newId(createdAt.getTime())
  const batch = { id, ownerId: merchantId, externalId, requestHash, total, createdAt }
  const written = await refusing(db.transaction((tx) => write(tx, batch, drafts)))
  // Without one, the same batch was written meanwhile.
  return written.replayed ? ((await findReplay()) ?? refuse('IDEMPOTENCY_CONFLICT')) : begun(batch)
}

/** Every withdrawal waits for its approval. */
const begun = ({ id, externalId, total, createdAt }: Batch): BatchState => ({
  ...{ id, externalId, total, createdAt },
  byStatus: { pending_callback: total },
})

function replayOf(known: Batch | null, requestHash: Buffer): BatchState | null {
  if (known === null) return null
  if (!known.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return begun(known)
}

const refuseLine = ({ key, details }: Refusal, index: number): never =>
  refuse(key, { ...details, index })

export interface AcceptedLine extends CustodyQuote {
  readonly request: CustodyRequest
}

/**
 * What each line would be answered now, if it came after those before it that are accepted: USER_NOT_FOUND,
 * IDEMPOTENCY_CONFLICT for an external id that is known, CRYPTO_PAYOUT_CHAIN_UNSUPPORTED,
 * CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE, CRYPTO_PAYOUT_DESTINATION_INVALID,
 * CRYPTO_PAYOUT_INSUFFICIENT_BALANCE, or SERVICE_DISABLED while there is no price or fee. Sets nothing aside.
 * Refuses CRYPTO_PAYOUT_NO_CALLBACK_URL.
 */
export async function judgeLines(
  deps: SubmitDeps,
  { merchantId, keyId, lines }: Omit<BatchRequest, 'externalId'>,
): Promise<(AcceptedLine | Refusal)[]> {
  const { db, clock, callback } = deps
  const at = clock.now()
  const asked = lines.map((line) => ({ ...line, merchantId }))
  const networks = rememberingTokens(deps.networks)
  const settings = await findMerchantSettings(db, merchantId)
  if (!(await callback.isUsable(merchantId, settings))) refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
  const users = await findSubUsers(
    db,
    merchantId,
    lines.flatMap(({ forUser }) => forUser ?? []),
  )
  const known = await readByExternalIds(
    db,
    lines.map(({ externalId }) => ({ ownerId: merchantId, externalId })),
  )
  const quotes = await readQuotes(db, asked, at)
  const usable = settings.onlyKnownDestinations
    ? await findUsableDestinations(db, merchantId, {
        addresses: lines.map(({ destination }) => destination.toLowerCase()),
        at,
      })
    : null
  const judge = async (line: BatchLine, i: number): Promise<AcceptedLine> => {
    const user = line.forUser === null ? null : users.get(line.forUser)
    if (user === undefined) return refuse('USER_NOT_FOUND')
    if (known[i]) return refuse('IDEMPOTENCY_CONFLICT')
    const token = await payable({ networks }, line, quotes[i])
    if (usable !== null && !usable.has(line.destination.toLowerCase())) {
      return refuseDestination('not_listed')
    }
    const { id, externalId } = user ?? {}
    const forUser = id === undefined ? null : { id, externalId: externalId ?? null }
    return { ...quoteOf(line, token), request: { ...line, merchantId, forUser, keyId } }
  }
  const judged = await Promise.all(lines.map((line, i) => judge(line, i).catch(asRefusal)))
  return covered(judged, await heldBy(db, merchantId))
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** One rate of a token for the whole batch. */
function rememberingTokens(networks: PayoutNetworks): PayoutNetworks {
  const found = new Map<string, ReturnType<PayoutNetworks['find']>>()
  return {
    ...networks,
    find: (chain, token) => {
      const pair = `${chain} ${token}`
      const known = found.get(pair) ?? networks.find(chain, token)
      found.set(pair, known)
      return known
    },
  }
}

type Held = ReadonlyMap<string, bigint>
type Pair = Pick<Request, 'chain' | 'token'>
const pairOf = ({ chain, token }: Pair): string => `${chain} ${token}`

async function heldBy(db: Queryable, merchantId: string): Promise<Held> {
  const balances = (await readBalances(db, merchantId)).filter(({ role }) => role === 'merchant')
  return new Map(balances.map((one) => [pairOf(one), one.units]))
}

/** In their order; a line that what is left does not cover is refused, and leaves it to those after it. */
function covered(
  lines: readonly (AcceptedLine | Refusal)[],
  held: Held,
): (AcceptedLine | Refusal)[] {
  const left = new Map(held)
  return lines.map((line) => {
    if (line instanceof Refusal) return line
    const rest = (left.get(pairOf(line.request)) ?? 0n) - line.units - line.feeUnits
    if (rest < 0n) return notCovered(line.request, line.token)
    left.set(pairOf(line.request), rest)
    return line
  })
}

interface Written {
  readonly id: string
  readonly replayed: boolean
}

/**
 * In the order of single withdrawals: account, rows, balances, the limit of the key. All of these locks are
 * the merchant's own.
 */
async function write(tx: Tx, batch: Batch, drafts: readonly Draft[]): Promise<Written> {
  const { id, ownerId, createdAt: at } = batch
  await lockAccount(tx, ownerId)
  if (!(await insertBatch(tx, batch))) return { id, replayed: true }
  const withdrawals = drafts.map((draft) => ({ ...draft, id: newId(at.getTime()) }))
  // Two batches that share external ids insert them in one order.
  const inOrder = withdrawals.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))
  const created = await insertWithdrawals(tx, inOrder, at)
  const byId = new Map(created.map((one) => [one.id, one]))
  const left = new Map<string, bigint>(
    (await lockBalances(tx, ownerId, drafts)).map((one) => [pairOf(one), one.units]),
  )
  for (const [i, { id: withdrawalId, units, feeUnits, ...line }] of withdrawals.entries()) {
    // Its external id was used since it was judged.
    if (!byId.has(withdrawalId)) refuse('IDEMPOTENCY_CONFLICT', { index: i })
    const rest = (left.get(pairOf(line)) ?? 0n) - units - feeUnits
    if (rest < 0n) refuseLine(notCovered(line, line), i)
    left.set(pairOf(line), rest)
  }
  await insertMembers(
    tx,
    id,
    withdrawals.map((one) => one.id),
  )
  await postUnits(tx, created.map(setAside), at)
  await countWithdrawals(tx, { asked: withdrawals, created }, at)
  return { id, replayed: false }
}
