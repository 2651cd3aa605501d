// SQL of what is final, and may have left its chain all the same.
import { type Queryable, sql, type Tx } from '#infra/db'
import { type Address, baseUnits, type ChainName, type Hex } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { Payment, Purpose, State } from '../transaction.ts'

const FINAL_IN = sql(
  'outbound.final_in',
  `select t.id, t.purpose, t.ref_id "refId", a.hash, a.raw
   from outbound.transaction t join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
   where t.chain = $1 and t.mined_block = $2 and t.finished_at is not null order by t.key_ref, t.nonce`,
)
/** What is final and was mined in a block: the attempt that was, by wallet and nonce. */
export const readFinalIn = (
  db: Queryable,
  chain: ChainName,
  block: bigint,
): Promise<{ id: string; purpose: string; refId: string; hash: Hex; raw: Hex }[]> =>
  db.query(FINAL_IN, [chain, block])

const WATCH = sql(
  'outbound.watch_final',
  'insert into outbound.final_watch (transaction_id) values ($1) on conflict do nothing',
)
/** In the commit that makes it final. */
export async function watchFinal(tx: Tx, id: string): Promise<void> {
  await tx.query(WATCH, [id])
}

const MISSING = sql(
  'outbound.note_missing',
  `insert into outbound.final_watch (transaction_id, missing_at) values ($1, $2)
   on conflict (transaction_id) do update set missing_at = excluded.missing_at`,
)
/** It is in no block now. */
export async function noteMissing(db: Queryable, id: string, at: Date): Promise<void> {
  await db.query(MISSING, [id, at])
}

const FOREIGN = sql(
  'outbound.note_foreign_final',
  'update outbound.final_watch set foreign_since_block = $2 where transaction_id = $1',
)
/** Its nonce was seen used for good by another transaction, at this head; null: it is not used any more. */
export async function noteForeign(db: Queryable, id: string, head: bigint | null): Promise<void> {
  await db.query(FOREIGN, [id, head])
}

const DISPLACED = sql(
  'outbound.note_displaced',
  `update outbound.final_watch set displaced_at = $2
   where transaction_id = any ($1::uuid[]) and displaced_at is null returning transaction_id id`,
)
/** It is proven that they will never be mined again; the ids of those that were not known to be. */
export async function noteDisplaced(tx: Tx, ids: readonly string[], at: Date): Promise<string[]> {
  if (ids.length === 0) return []
  return (await tx.query<{ id: string }>(DISPLACED, [ids, at])).map(({ id }) => id)
}

const LEFT_CHAIN = sql(
  'outbound.left_chain',
  `select missing_at "missingAt", displaced_at "displacedAt" from outbound.final_watch
   where transaction_id = $1 and missing_at is not null`,
)
/** Null for one that is not final, or is in its chain. */
export async function readLeftChain(
  db: Queryable,
  id: string,
): Promise<{ readonly missingAt: Date; readonly displacedAt: Date | null } | null> {
  const [row] = await db.query<{ missingAt: Date; displacedAt: Date | null }>(LEFT_CHAIN, [id])
  return row ?? null
}

export interface DisplacedFinal {
  readonly chain: ChainName
  readonly keyRef: KeyRef
  readonly purpose: Purpose
  /** The withdrawal, for a payout. */
  readonly refId: string
  readonly nonce: bigint
  readonly hash: Hex
  readonly recipient: Address
  readonly token: string
  /** Base units, as text. */
  readonly units: string
  readonly displacedAt: Date
}

const DISPLACED_FINALS = sql(
  'outbound.list_displaced_finals',
  `select t.chain, t.key_ref "keyRef", t.purpose, t.ref_id "refId", t.nonce, t.mined_hash hash, t.recipient,
     t.token, t.units::text units, f.displaced_at "displacedAt"
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
   where f.displaced_at is not null and f.settled_at is null order by f.displaced_at, t.id limit 100`,
)
/** What counts as paid, will never be mined again and is not settled yet, the oldest 100. */
export const listDisplacedFinals = (db: Queryable): Promise<DisplacedFinal[]> =>
  db.query<DisplacedFinal>(DISPLACED_FINALS)

const SETTLE = sql(
  'outbound.settle_displaced',
  `update outbound.final_watch f set settled_at = $2
   from outbound.transaction t
   where t.id = f.transaction_id and t.mined_hash = $1 and f.displaced_at is not null and f.settled_at is null
   returning t.ref_id "refId"`,
)
/**
 * An operator has done what the displaced payment with this hash needs. Null: none that waits for it has the
 * hash.
 */
export async function settleDisplaced(
  tx: Tx,
  hash: Hex,
  at: Date,
): Promise<Pick<DisplacedFinal, 'refId'> | null> {
  const [row] = await tx.query<Pick<DisplacedFinal, 'refId'>>(SETTLE, [hash, at])
  return row ?? null
}

export interface Watched extends Payment {
  readonly id: string
  readonly keyRef: KeyRef
  readonly purpose: Purpose
  readonly refId: string
  /** The address of the wallet. */
  readonly from: Address
  readonly nonce: number
  readonly state: State
  /** The attempt that was mined. */
  readonly hash: Hex
  readonly raw: Hex
  readonly missingAt: Date | null
  readonly foreignSinceBlock: bigint | null
}

const WATCHED = sql(
  'outbound.list_watched',
  `select t.id, t.key_ref "keyRef", t.purpose, t.ref_id "refId", w.address "from", t.nonce, t.state, t.token,
     t.token_address "tokenAddress", t.recipient, t.units, a.hash, a.raw, f.missing_at "missingAt",
     f.foreign_since_block "foreignSinceBlock"
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
     join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
     join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
   where t.chain = $1 and f.displaced_at is null order by t.key_ref, t.nonce limit 500`,
)
/** By wallet and nonce; without those that will never be mined again. */
export async function listWatched(db: Queryable, chain: ChainName): Promise<Watched[]> {
  const rows = await db.query<Omit<Watched, 'nonce' | 'units'> & { nonce: bigint; units: string }>(
    WATCHED,
    [chain],
  )
  return rows.map((row) => ({
    ...row,
    nonce: Number(row.nonce),
    units: baseUnits(BigInt(row.units)),
  }))
}

const END = sql(
  'outbound.end_watch',
  `delete from outbound.final_watch f using unnest($1::uuid[], $2::timestamptz[]) s (id, missing_at)
   where f.transaction_id = s.id and f.missing_at is not distinct from s.missing_at`,
)
/** They were seen in a final block; one that was found missing since it was read stays. */
export async function endWatch(db: Queryable, seen: readonly Watched[]): Promise<void> {
  if (seen.length === 0) return
  await db.query(END, [seen.map(({ id }) => id), seen.map(({ missingAt }) => missingAt)])
}
