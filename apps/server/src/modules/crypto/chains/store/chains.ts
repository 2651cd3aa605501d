// SQL of chains, tokens, scanned blocks and cursors.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Hex } from '#kernel/chain'
import type { ChainId } from '../chain.ts'
import type { BlockHeader } from '../ports.ts'
import type { Token } from '../read-transfers.ts'

export interface Cursor {
  readonly number: bigint
  readonly hash: Hex
}

export interface ChainState {
  readonly chain: ChainId
  readonly haltedReason: string | null
  readonly haltedBy: string | null
  readonly haltedAt: Date | null
  readonly cursor: Cursor | null
  readonly scannedAt: Date | null
  readonly pending: bigint
}

const LIST = sql(
  'chains.list_chains',
  `select k.id chain, k.halted_reason, k.halted_by, k.halted_at, c.number, c.hash, c.updated_at,
     (select count(*) from chains.transfer t where t.chain = k.id and t.state = 'pending') pending
   from chains.chain k left join chains.cursor c on c.chain = k.id order by k.chain_id`,
)
export async function listChains(db: Queryable): Promise<ChainState[]> {
  const rows = await db.query<{
    chain: ChainId
    halted_reason: string | null
    halted_by: string | null
    halted_at: Date | null
    number: bigint | null
    hash: Hex | null
    updated_at: Date | null
    pending: bigint
  }>(LIST)
  return rows.map((row) => ({
    chain: row.chain,
    haltedReason: row.halted_reason,
    haltedBy: row.halted_by,
    haltedAt: row.halted_at,
    cursor:
      row.number !== null && row.hash !== null ? { number: row.number, hash: row.hash } : null,
    scannedAt: row.updated_at,
    pending: row.pending,
  }))
}

const FIND_HALTS = sql(
  'chains.find_halts',
  'select id, halted_reason reason from chains.chain where id = any ($1::text[])',
)
/** For each chain why it is halted; null for one that works. */
export async function findHalts(
  db: Queryable,
  chains: readonly ChainId[],
): Promise<(string | null)[]> {
  const rows = await db.query<{ id: ChainId; reason: string | null }>(FIND_HALTS, [
    [...new Set(chains)],
  ])
  const reasons = new Map(rows.map(({ id, reason }) => [id, reason]))
  return chains.map((chain) => reasons.get(chain) ?? null)
}

/** Why the chain is halted; null when it works. */
export const findHalt = async (db: Queryable, chain: ChainId): Promise<string | null> =>
  (await findHalts(db, [chain]))[0] ?? null

const HALT = sql(
  'chains.halt',
  `update chains.chain set halted_reason = $2, halted_by = $3, halted_at = $4
   where id = $1 and halted_at is null returning id`,
)
/** False: it was halted before, and keeps its reason. */
export async function haltChain(
  tx: Queryable,
  chain: ChainId,
  halt: { readonly reason: string; readonly by: string; readonly at: Date },
): Promise<boolean> {
  return (await tx.query(HALT, [chain, halt.reason, halt.by, halt.at])).length > 0
}

const RESUME = sql(
  'chains.resume',
  `update chains.chain set halted_reason = null, halted_by = null, halted_at = null
   where id = $1 and halted_at is not null returning id`,
)
export const resumeChain = async (tx: Tx, chain: ChainId): Promise<boolean> =>
  (await tx.query(RESUME, [chain])).length > 0

const TOKENS = sql(
  'chains.tokens',
  `select contract, symbol, decimals, is_accepted "isAccepted" from chains.token where chain = $1`,
)
export const listTokens = (db: Queryable, chain: ChainId): Promise<Token[]> =>
  db.query<Token>(TOKENS, [chain])

const CONTRACTS = sql('chains.token_contracts', 'select distinct contract from chains.token')
/** The contracts of the tokens that we know, on all chains, in lower case. */
export async function listTokenContracts(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ contract: string }>(CONTRACTS)
  return new Set(rows.map(({ contract }) => contract.toLowerCase()))
}

const CURSOR = 'select number, hash from chains.cursor where chain = $1'
const FIND_CURSOR = sql('chains.find_cursor', CURSOR)
const LOCK_CURSOR = sql('chains.lock_cursor', `${CURSOR} for update`)

const FIND_POSITION = sql(
  'chains.find_position',
  `select c.halted_reason "haltedReason", s.number, s.hash
   from chains.chain c left join chains.cursor s on s.chain = c.id where c.id = $1`,
)
/** Why a chain is halted, or how far it was scanned: null as long as its scan has not begun. */
export async function findPosition(
  db: Queryable,
  chain: ChainId,
): Promise<{ readonly haltedReason: string | null; readonly cursor: Cursor | null }> {
  const [row] = await db.query<{ haltedReason: string | null } & Nullable<Cursor>>(FIND_POSITION, [
    chain,
  ])
  const { haltedReason = null, number = null, hash = null } = row ?? {}
  return { haltedReason, cursor: number === null || hash === null ? null : { number, hash } }
}
type Nullable<Of> = { readonly [Key in keyof Of]: Of[Key] | null }

export async function findCursor(db: Queryable, chain: ChainId): Promise<Cursor | null> {
  const [row] = await db.query<Cursor>(FIND_CURSOR, [chain])
  return row ?? null
}

/** One scanner at a time, with or without the lease. */
export async function lockCursor(tx: Tx, chain: ChainId): Promise<Cursor | null> {
  const [row] = await tx.query<Cursor>(LOCK_CURSOR, [chain])
  return row ?? null
}

const BEGIN = sql(
  'chains.begin_cursor',
  `with cursor as (
     insert into chains.cursor (chain, number, hash, updated_at) values ($1, $2, $3, $5)
     on conflict (chain) do nothing returning chain)
   insert into chains.block (chain, number, hash, parent_hash, scanned_at)
     select chain, $2, $3, $4, $5 from cursor`,
)
export async function beginCursor(
  tx: Tx,
  chain: ChainId,
  { number, hash, parentHash }: BlockHeader,
  at: Date,
): Promise<void> {
  await tx.query(BEGIN, [chain, number, hash, parentHash, at])
}

const ADVANCE = sql(
  'chains.advance_cursor',
  `with block as (
     insert into chains.block (chain, number, hash, parent_hash, scanned_at) values ($1, $2, $3, $4, $5)),
   forgotten as (delete from chains.block where chain = $1 and number <= $2::bigint - $6::bigint)
   update chains.cursor set number = $2, hash = $3, updated_at = $5,
     untraced_number = case when $7 then untraced_number else $2 end where chain = $1`,
)
export async function advanceCursor(
  tx: Tx,
  chain: ChainId,
  { number, hash, parentHash }: BlockHeader,
  { at, keep, isTraced }: { readonly at: Date; readonly keep: bigint; readonly isTraced: boolean },
): Promise<void> {
  await tx.query(ADVANCE, [chain, number, hash, parentHash, at, keep, isTraced])
}

const HAS_UNTRACED = sql(
  'chains.has_untraced',
  'select untraced_number is not null "isUntraced" from chains.cursor where chain = $1',
)
/** Some blocks were scanned without their internal transfers. */
export async function hasUntraced(db: Queryable, chain: ChainId): Promise<boolean> {
  const [row] = await db.query<{ isUntraced: boolean }>(HAS_UNTRACED, [chain])
  return row?.isUntraced ?? false
}

const BLOCK_HASH = sql(
  'chains.block_hash',
  'select hash from chains.block where chain = $1 and number = $2',
)
/** Null: it was not scanned, or is older than those that are kept. */
export async function findBlockHash(tx: Tx, chain: ChainId, number: bigint): Promise<Hex | null> {
  const [row] = await tx.query<{ hash: Hex }>(BLOCK_HASH, [chain, number])
  return row?.hash ?? null
}

const SET_BACK = sql(
  'chains.set_back_cursor',
  `with replaced as (delete from chains.block where chain = $1 and number > $2),
   forgotten as (delete from chains.own_payment where chain = $1 and block_number > $2)
   update chains.cursor set number = $2, hash = $3, updated_at = $4 where chain = $1`,
)
export async function setBackCursor(
  tx: Tx,
  chain: ChainId,
  { number, hash }: Cursor,
  at: Date,
): Promise<void> {
  await tx.query(SET_BACK, [chain, number, hash, at])
}

const BLOCKS_BELOW = sql(
  'chains.blocks_below',
  `select number, hash from chains.block where chain = $1 and number < $2 order by number desc limit $3`,
)
/** Scanned blocks below a height, the highest first. */
export const listBlocksBelow = (
  db: Queryable,
  chain: ChainId,
  number: bigint,
  limit: number,
): Promise<Cursor[]> => db.query<Cursor>(BLOCKS_BELOW, [chain, number, limit])
