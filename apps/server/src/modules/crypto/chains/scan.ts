// Scans one chain, block by block. Every block is one transaction that also moves the cursor, so a crash
// anywhere repeats the same block, and two scanners cannot both write it.

import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type BroadcastNode, resendFinal } from '#outbound'
import type { ChainRules } from './policy.ts'
import type { Block, BlockHeader, ChainNode, InternalTransfer, TransferLog } from './ports.ts'
import { readOutcomes } from './read-outcomes.ts'
import {
  type Incoming,
  incomingOf,
  isOwned,
  type Movement,
  type OwnView,
  ownPaymentsOf,
  readMovements,
  type Token,
} from './read-transfers.ts'
import { type Accepted, recordMovements, recordOwnPayments } from './record.ts'
import { findAddressesAmong } from './store/addresses.ts'
import {
  advanceCursor,
  beginCursor,
  type Cursor,
  findCursor,
  findPosition,
  haltChain,
  listBlocksBelow,
  listTokens,
  lockCursor,
  setBackCursor,
} from './store/chains.ts'
import { noteReplacedTransfers } from './store/transfers.ts'
import { handlerFor, type TransferHandlers } from './transfer-handler.ts'
import { recordUnsupported } from './unsupported.ts'

export interface ScanDeps {
  readonly db: Db
  readonly clock: Clock
  readonly node: ChainNode
  readonly broadcast: BroadcastNode
  readonly rules: ChainRules
  readonly handlers: TransferHandlers
  /** Lower case: the treasury, and our wallets. What they send is never a deposit. */
  readonly ownSenders: () => Promise<ReadonlySet<string>>
  onIncident(what: Incident, details: object): void
}

export type Incident =
  /** A credited transfer is no longer in the chain. */
  | 'credited_orphaned'
  /** One that was taken back is in the chain again. */
  | 'reversed_returned'
  /** A transaction of ours that was final is in no block any more; it is sent again until it is. */
  | 'sent_orphaned'

export type Scanned =
  | {
      readonly kind: 'scanned'
      readonly blocks: number
      readonly cursor: Cursor
      readonly head: bigint
    }
  /** The node is behind what was scanned: it lags, or the chain was shortened. Nothing is concluded. */
  | { readonly kind: 'behind'; readonly head: bigint; readonly cursor: Cursor }
  | {
      readonly kind: 'rolled_back'
      readonly to: Cursor
      readonly depth: bigint
      readonly orphaned: number
    }
  | { readonly kind: 'halted'; readonly reason: string; readonly isNew: boolean }

/** Blocks of one call, so that the job can stop between two. */
const BLOCKS_A_RUN = 64
/** Blocks that are read ahead of the one that is written, at most. */
const READ_AHEAD = 16
/** So many are asked for at the same moment, and then their logs: a node may be asked for them together. */
const ASKED_TOGETHER = 8
/** Scanned blocks that are kept: more than twice the deepest depth that a policy waits for. */
const KEPT_BLOCKS = 16_384n

export async function scanChain(deps: ScanDeps, signal: AbortSignal): Promise<Scanned> {
  const { db, node, rules } = deps
  const { haltedReason, cursor: scanned } = await findPosition(db, rules.chain)
  if (haltedReason !== null) return { kind: 'halted', reason: haltedReason, isNew: false }
  const head = await node.head()
  let cursor = scanned ?? (await begin(deps, head))
  if (cursor === null || head.number < cursor.number) {
    return { kind: 'behind', head: head.number, cursor: cursor ?? head }
  }
  if (head.number === cursor.number) {
    return { kind: 'scanned', blocks: 0, cursor, head: head.number }
  }
  const from = cursor.number
  const tokens = new Map(
    (await listTokens(db, rules.chain)).map((token) => [token.contract, token]),
  )
  const ownSenders = await deps.ownSenders()
  const blocks = readAhead(deps, cursor.number + 1n, min(head.number, from + BigInt(BLOCKS_A_RUN)))
  for await (const read of blocks) {
    if (signal.aborted) break
    if (read === null) break
    if (read.block.parentHash !== cursor.hash) return rollBack(deps, cursor)
    const next = await writeBlock(deps, cursor, read, { tokens, ownSenders })
    if (next === null) break
    cursor = next
  }
  return { kind: 'scanned', blocks: Number(cursor.number - from), cursor, head: head.number }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The first block is not searched, nor any before it. */
async function begin(
  { db, clock, node, rules }: ScanDeps,
  head: BlockHeader,
): Promise<Cursor | null> {
  const first = rules.startBlock === null ? head : await node.header(rules.startBlock)
  if (first === null) return null
  await db.transaction((tx) => beginCursor(tx, rules.chain, first, clock.now()))
  return findCursor(db, rules.chain)
}

interface ReadBlock {
  readonly block: Block
  readonly logs: readonly TransferLog[]
  readonly internals: readonly InternalTransfer[]
  /** False: its internal transfers are not known, and may be none. */
  readonly isTraced: boolean
}

/** Null: the node does not have the block (any more); what comes after it is not read. */
async function* readAhead(
  { node }: ScanDeps,
  first: bigint,
  last: bigint,
): AsyncGenerator<ReadBlock | null> {
  const reads: Promise<ReadBlock | null>[] = []
  let next = first
  const fill = (): void => {
    if (reads.length > READ_AHEAD - ASKED_TOGETHER) return
    const blocks: Promise<Block | null>[] = []
    while (reads.length + blocks.length < READ_AHEAD && next <= last) {
      blocks.push(node.block(next))
      next += 1n
    }
    const allAnswered = Promise.allSettled(blocks)
    for (const block of blocks) {
      const read = readRest(node, block, allAnswered)
      // Awaited below, perhaps never: a failure must not end the process.
      read.catch(() => {})
      reads.push(read)
    }
  }
  for (fill(); reads.length > 0; fill()) yield (await reads.shift()) ?? null
}

/** Logs and traces are asked for by hash, so that they are of this very block. */
async function readRest(
  node: ChainNode,
  reading: Promise<Block | null>,
  others: Promise<unknown>,
): Promise<ReadBlock | null> {
  const block = await reading
  if (block === null) return null
  // One call for the logs of all that were asked for together, and not one for each part of them.
  await others
  const [logs, internals] = await Promise.all([
    node.transferLogs(block.hash),
    node.internalTransfers(block.hash),
  ])
  if (logs === null || internals === null) return null
  const isTraced = internals !== 'unsupported'
  return { block, logs, internals: isTraced ? internals : [], isTraced }
}

interface OwnParts {
  readonly tokens: ReadonlyMap<string, Token>
  readonly ownSenders: ReadonlySet<string>
}

/** Null: the chain went on without us, or its nodes contradict each other. Nothing is written then. */
async function writeBlock(
  deps: ScanDeps,
  cursor: Cursor,
  { block, logs, internals, isTraced }: ReadBlock,
  own: OwnParts,
): Promise<Cursor | null> {
  const { db, clock, node, rules } = deps
  const movements = readMovements(block, logs, internals)
  const view = await viewOf(db, movements, own)
  const [arrived, paid] = [incomingOf(movements, view), ownPaymentsOf(movements, view)]
  const outcomes = await readOutcomes(node, block.hash, [...arrived, ...paid])
  if (outcomes === null) return null
  const hasMoved = ({ kind, txHash }: Incoming) => kind !== 'native' || outcomes.get(txHash)
  const [incoming, ownPayments] = [arrived.filter(hasMoved), paid.filter(hasMoved)]
  await resendLost(deps, block)
  const at = clock.now()
  return db.transaction(async (tx) => {
    const locked = await lockCursor(tx, rules.chain)
    if (locked?.hash !== cursor.hash || locked.number !== cursor.number) return null
    await recordIncoming(deps, tx, { block, incoming, at })
    await recordOwnPayments(tx, { chain: rules.chain, number: block.number }, ownPayments)
    await advanceCursor(tx, rules.chain, block, { at, keep: KEPT_BLOCKS, isTraced })
    return { number: block.number, hash: block.hash }
  })
}

/**
 * What of ours is final in a block of this number is in it, unless a re-organisation was deeper than the
 * policy. Before the commit: a crash in between repeats it, and the same bytes are mined once only.
 */
async function resendLost(
  { db, clock, broadcast, rules: { chain }, onIncident }: ScanDeps,
  { number }: Block,
): Promise<void> {
  const resent = await resendFinal({ db, node: broadcast, chain }, number, clock.now())
  for (const one of resent) onIncident('sent_orphaned', { chain, ...one })
}

/**
 * An address is looked up after the block was read. It was committed before it was handed out, so no
 * transfer to it can be missed, and no process has to keep all addresses.
 */
async function viewOf(db: Db, movements: readonly Movement[], own: OwnParts): Promise<OwnView> {
  const parties = new Set(movements.flatMap(({ from, to }) => [from, to]))
  const found = parties.size === 0 ? [] : await findAddressesAmong(db, [...parties])
  return { ...own, addresses: new Map(found.map((address) => [address.lookup, address])) }
}

async function recordIncoming(
  { rules, handlers, onIncident }: ScanDeps,
  tx: Tx,
  { block, incoming, at }: { block: Block; incoming: readonly Incoming[]; at: Date },
): Promise<void> {
  const place = { chain: rules.chain, number: block.number, hash: block.hash, at }
  const accepted = incoming.filter(isAccepted)
  const recorded = await recordMovements(tx, handlers, place, accepted)
  if (recorded < accepted.length) {
    onIncident('reversed_returned', { chain: rules.chain, block: block.number.toString() })
  }
  for (const one of incoming) {
    if (!isAccepted(one) && isOwned(one.address.purpose)) {
      await recordUnsupported(tx, { chain: rules.chain, handlers, at }, one)
    }
  }
}

const isAccepted = (one: Incoming): one is Accepted => one.token?.isAccepted === true

/**
 * The newest scanned block is not the parent of the next one: goes back to the newest block that both the
 * node and we have. Transfers above it are kept, outside of the chain, because most come back in another
 * block.
 */
async function rollBack(deps: ScanDeps, cursor: Cursor): Promise<Scanned> {
  const { db, clock, node, rules, handlers, onIncident } = deps
  const { chain } = rules
  const ancestor = await findAncestor(db, node, rules, cursor)
  if (ancestor === 'behind') return { kind: 'behind', head: cursor.number, cursor }
  const at = clock.now()
  if (ancestor === 'none') {
    const reason = 'a re-organisation is deeper than the scanned blocks that are kept'
    const isNew = await haltChain(db, chain, { reason, by: 'scanner', at })
    return { kind: 'halted', reason, isNew }
  }
  return db.transaction(async (tx) => {
    const locked = await lockCursor(tx, chain)
    if (locked?.hash !== cursor.hash || locked.number !== cursor.number) {
      return { kind: 'behind', head: cursor.number, cursor }
    }
    const orphaned = await noteReplacedTransfers(tx, chain, ancestor.number, at)
    for (const { id, state, purpose, txHash } of orphaned) {
      if (state === 'pending') await handlerFor(handlers, purpose).blockReplaced(tx, id, at)
      if (state === 'credited') onIncident('credited_orphaned', { chain, transferId: id, txHash })
    }
    await setBackCursor(tx, chain, ancestor, at)
    const depth = cursor.number - ancestor.number
    return { kind: 'rolled_back', to: ancestor, depth, orphaned: orphaned.length }
  })
}

const WALKED_AT_ONCE = 64

async function findAncestor(
  db: Db,
  node: ChainNode,
  { chain }: ChainRules,
  cursor: Cursor,
): Promise<Cursor | 'none' | 'behind'> {
  let below = cursor.number
  for (;;) {
    const stored = await listBlocksBelow(db, chain, below, WALKED_AT_ONCE)
    const last = stored.at(-1)
    if (last === undefined) return 'none'
    for (const block of stored) {
      const header = await node.header(block.number)
      // A node that has less than we scanned proves nothing of a re-organisation.
      if (header === null) return 'behind'
      if (header.hash === block.hash) return block
    }
    below = last.number
  }
}
