// SQL of transfers: recorded, replaced and back, and what became of them.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { DueQuestion } from '#infra/jobs/due-watch'
import { assertDefined } from '#kernel/assert'
import type { Address, Hex } from '#kernel/chain'
import type { ChainId } from '../chain.ts'
import type { Incoming, Purpose, TransferKind, WalletPurpose } from '../read-transfers.ts'

export type TransferState = 'pending' | 'credited' | 'dust' | 'gone' | 'reversed'

export interface Transfer {
  readonly id: string
  readonly chain: ChainId
  readonly txHash: Hex
  readonly kind: TransferKind
  readonly ordinal: string
  readonly contract: Address
  readonly token: string
  readonly decimals: number
  readonly sender: Address
  /** Lower case. */
  readonly recipient: Address
  readonly addressId: string
  /** The recipient with the case of its checksum. */
  readonly address: Address
  readonly ownerId: string
  readonly purpose: Purpose | WalletPurpose
  readonly units: bigint
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly orphanedAt: Date | null
  readonly state: TransferState
  /** Of the small ones that were credited together with it. */
  readonly dustBatchId: string | null
  readonly firstSeenAt: Date
}

type TransferRow = Omit<Transfer, 'units'> & { readonly units: string }

const COLUMNS = `t.id, t.chain, t.tx_hash "txHash", t.kind, t.ordinal, t.contract, t.token, t.decimals, t.sender, t.recipient,
  t.address_id "addressId", (select a.address from chains.address a where a.id = t.address_id) address, t.owner_id "ownerId", t.purpose, t.units, t.block_number "blockNumber", t.block_hash "blockHash",
  t.orphaned_at "orphanedAt", t.state, t.dust_batch_id "dustBatchId", t.first_seen_at "firstSeenAt"`

const transferOf = (row: TransferRow): Transfer => ({ ...row, units: BigInt(row.units) })

const RECORD = sql(
  'chains.record_transfers',
  `insert into chains.transfer as t (chain, tx_hash, kind, ordinal, contract, token, decimals, sender, recipient,
       address_id, owner_id, purpose, units, block_number, block_hash, first_seen_at, due_at)
     select $1, n.tx_hash, n.kind, n.ordinal, n.contract, n.token, n.decimals, n.sender, n.recipient,
       n.address_id, n.owner_id, n.purpose, n.units, $2, $3, $4, $4
     from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::smallint[], $11::text[], $12::text[],
         $13::uuid[], $14::uuid[], $15::text[], $16::numeric[])
       n (tx_hash, kind, ordinal, contract, token, decimals, sender, recipient, address_id, owner_id, purpose, units)
   on conflict on constraint transfer_identity do update
     set block_number = excluded.block_number, block_hash = excluded.block_hash, orphaned_at = null, due_at = excluded.due_at,
       state = case t.state when 'gone' then 'pending' else t.state end,
       settled_at = case t.state when 'gone' then null else t.settled_at end
     where t.state <> 'reversed'
   returning ${COLUMNS}, t.xmax = 0 "isNew"`,
)

export type RecordedTransfer = Transfer & { readonly isNew: boolean }

/** Writes what a block brings; one whose block was replaced is in the chain again. */
export async function recordTransfers(
  tx: Tx,
  block: {
    readonly chain: ChainId
    readonly number: bigint
    readonly hash: Hex
    readonly at: Date
  },
  incoming: readonly (Incoming & { readonly token: NonNullable<Incoming['token']> })[],
): Promise<RecordedTransfer[]> {
  if (incoming.length === 0) return []
  const rows = await tx.query<TransferRow & { isNew: boolean }>(RECORD, [
    block.chain,
    block.number,
    block.hash,
    block.at,
    incoming.map(({ txHash }) => txHash),
    incoming.map(({ kind }) => kind),
    incoming.map(({ ordinal }) => ordinal),
    incoming.map(({ contract }) => contract),
    incoming.map(({ token }) => token.symbol),
    incoming.map(({ token }) => token.decimals),
    incoming.map(({ from }) => from),
    incoming.map(({ to }) => to),
    incoming.map(({ address }) => address.id),
    incoming.map(({ address }) => address.ownerId),
    incoming.map(({ address }) => address.purpose),
    incoming.map(({ units }) => units),
  ])
  return rows.map(({ isNew, ...row }) => ({ ...transferOf(row), isNew }))
}

const REPLACED = sql(
  'chains.orphan_transfers',
  `update chains.transfer t set orphaned_at = $3
   where t.chain = $1 and t.block_number > $2 and t.orphaned_at is null returning ${COLUMNS}`,
)
/** Everything above the common ancestor is outside of the chain until it is seen again. */
export const noteReplacedTransfers = async (
  tx: Tx,
  chain: ChainId,
  ancestor: bigint,
  at: Date,
): Promise<Transfer[]> =>
  (await tx.query<TransferRow>(REPLACED, [chain, ancestor, at])).map(transferOf)

export interface DueTransfers {
  /** The oldest of each owner first, then the second of each, and so on. */
  readonly transfers: readonly Transfer[]
  /** The last owner that was looked at, when there may be more behind it; else null. */
  readonly nextOwner: string | null
}

/** By chain: transfers that are to be decided about. */
export const TRANSFERS_DUE: DueQuestion = {
  name: 'chains.transfers',
  text: `select c.id from chains.chain c where exists (
    select from chains.transfer t
    where t.chain = c.id and t.state = 'pending' and t.orphaned_at is null and t.due_at <= $1)`,
}

const LIST_DUE = sql(
  'chains.list_due_transfers',
  'select ids, next_owner "nextOwner" from chains.list_due($1, $2, $3, $4)',
)
const READ = sql(
  'chains.read_transfers',
  `select ${COLUMNS} from unnest($1::uuid[]) with ordinality due (id, place) join chains.transfer t on t.id = due.id
   order by due.place`,
)
/** Of so many owners behind `after` at most, and so many transfers. */
export async function listDueTransfers(
  db: Queryable,
  chain: ChainId,
  { now, after, limit }: { readonly now: Date; readonly after: string; readonly limit: number },
): Promise<DueTransfers> {
  const [due] = await db.query<{ ids: string[]; nextOwner: string | null }>(LIST_DUE, [
    ...[chain, now],
    ...[after, limit],
  ])
  const { ids, nextOwner } = assertDefined(due, 'the due transfers')
  const rows = ids.length === 0 ? [] : await db.query<TransferRow>(READ, [ids])
  return { transfers: rows.map(transferOf), nextOwner }
}

const POSTPONE = sql(
  'chains.postpone_transfers',
  `update chains.transfer set due_at = $2 where id = any ($1::uuid[]) and state = 'pending'`,
)
export async function postponeTransfers(
  tx: Queryable,
  ids: readonly string[],
  until: Date,
): Promise<void> {
  if (ids.length > 0) await tx.query(POSTPONE, [ids, until])
}

const SETTLE = sql(
  'chains.settle_transfer',
  `update chains.transfer set state = $3, settled_at = $4, usd_e8 = $5, rate_sources = $6
   where id = $1 and state = 'pending' and orphaned_at is null and block_hash = $2 returning id`,
)
/** False: it was settled, or its block was replaced, since it was read. */
export async function settleTransfer(
  tx: Tx,
  transfer: Transfer,
  as: {
    readonly state: 'credited' | 'dust'
    readonly usdE8: bigint | null
    readonly rateSources: readonly string[] | null
    readonly at: Date
  },
): Promise<boolean> {
  const { state, usdE8, rateSources, at } = as
  const values = [transfer.id, transfer.blockHash, state, at, usdE8, rateSources]
  return (await tx.query(SETTLE, values)).length > 0
}

const LIST_REPLACED = sql(
  'chains.list_orphaned_transfers',
  `select ${COLUMNS} from chains.transfer t
   where t.chain = $1 and t.orphaned_at <= $2 and t.block_number <= $3 and t.state in ('pending', 'credited', 'dust')
   order by t.orphaned_at limit $4`,
)
/** Replaced before a time, in a block of this number or below it. */
export const listReplacedSince = async (
  db: Queryable,
  chain: ChainId,
  {
    before,
    below,
    limit,
  }: { readonly before: Date; readonly below: bigint; readonly limit: number },
): Promise<Transfer[]> =>
  (await db.query<TransferRow>(LIST_REPLACED, [chain, before, below, limit])).map(transferOf)

const IN_CHAIN = sql(
  'chains.find_transfers_in_chain',
  'select id from chains.transfer where id = any ($1::uuid[]) and orphaned_at is null',
)
/** Which of these transfers are in a block that was not replaced. */
export const findTransfersInChain = async (
  db: Queryable,
  ids: readonly string[],
): Promise<string[]> => (await db.query<{ id: string }>(IN_CHAIN, [ids])).map(({ id }) => id)

const ABANDON = sql(
  'chains.abandon_transfer',
  `update chains.transfer t set state = case t.state when 'pending' then 'gone' else 'reversed' end,
     settled_at = coalesce(t.settled_at, $3)
   where t.id = $1 and t.state = $2 and t.orphaned_at is not null returning t.state`,
)
/** What was booked stays reversed when it comes back. False: it is back, or was decided meanwhile. */
export const abandonTransfer = async (tx: Tx, transfer: Transfer, at: Date): Promise<boolean> =>
  (await tx.query(ABANDON, [transfer.id, transfer.state, at])).length > 0

const AT = sql(
  'chains.has_transfer_at',
  `select exists (select from chains.transfer
     where chain = $1 and tx_hash = $2 and kind = 'internal' and ordinal = $3 and orphaned_at is null) found`,
)
/** An internal transfer that is in the chain has this place. */
export async function hasTransferAt(
  tx: Tx,
  chain: ChainId,
  { txHash, ordinal }: { readonly txHash: Hex; readonly ordinal: string },
): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(AT, [chain, txHash, ordinal])
  return row?.found ?? false
}
