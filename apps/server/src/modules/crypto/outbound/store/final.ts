// SQL of what is final, and may have left its chain all the same.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Address, baseUnits, type ChainName, type Hex } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { Payment, Purpose, SigningForm, State } from '../transaction.ts'

/** Final, with the attempt that was mined. */
export interface Final extends Payment {
  readonly id: string
  readonly keyRef: KeyRef
  readonly purpose: Purpose
  readonly refId: string
  /** The address of the wallet. */
  readonly from: Address
  readonly nonce: number
  /** As it is booked. */
  readonly state: State
  readonly kind: SigningForm['kind']
  readonly hash: Hex
  readonly raw: Hex
}

const FINAL_COLUMNS = `t.id, t.key_ref "keyRef", t.purpose, t.ref_id "refId", w.address "from", t.nonce, t.state, t.token,
     t.token_address "tokenAddress", t.recipient, t.units, a.kind, a.hash, a.raw`
const FINAL_PARTS = `join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
     join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash`

type RowOf<One> = Omit<One, 'nonce' | 'units'> & { nonce: bigint; units: string }

const numbered = <Row extends { nonce: bigint; units: string }>({
  nonce,
  units,
  ...rest
}: Row) => ({
  ...rest,
  nonce: Number(nonce),
  units: baseUnits(BigInt(units)),
})

const FINAL_IN = sql(
  'outbound.final_in',
  `select ${FINAL_COLUMNS} from outbound.transaction t ${FINAL_PARTS}
   where t.chain = $1 and t.mined_block = $2 and t.finished_at is not null order by t.key_ref, t.nonce`,
)
/** What is final and was mined in a block, by wallet and nonce. */
export const readFinalIn = async (
  db: Queryable,
  chain: ChainName,
  block: bigint,
): Promise<Final[]> => (await db.query<RowOf<Final>>(FINAL_IN, [chain, block])).map(numbered)

const WATCH = sql(
  'outbound.watch_final',
  'insert into outbound.final_watch (transaction_id) values ($1) on conflict do nothing',
)
/** In the commit that makes it final, and when it is in its block no more. */
export async function watchFinal(db: Queryable, id: string): Promise<void> {
  await db.query(WATCH, [id])
}

const MISSING = sql(
  'outbound.note_missing',
  `insert into outbound.final_watch (transaction_id, missing_at) values ($1, $2)
   on conflict (transaction_id) do update set missing_at = excluded.missing_at`,
)
/** It is in no block now, or not as it is booked. */
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
/** They will never be final again as they are booked; the ids of those that were not known to be so. */
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
  /** Confirmed: it counts as paid. Any other: it counts as not paid. */
  readonly booked: State
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
  `select t.chain, t.key_ref "keyRef", t.purpose, t.ref_id "refId", t.state booked, t.nonce, t.mined_hash hash, t.recipient,
     t.token, t.units::text units, f.displaced_at "displacedAt"
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
   where f.displaced_at is not null and f.settled_at is null order by f.displaced_at, t.id limit 100`,
)
/** What will never be final again as it is booked, and is not settled yet, the oldest 100. */
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

export interface Watched extends Final {
  readonly missingAt: Date | null
  readonly foreignSinceBlock: bigint | null
}

const WATCHED = sql(
  'outbound.list_watched',
  `select ${FINAL_COLUMNS}, f.missing_at "missingAt", f.foreign_since_block "foreignSinceBlock"
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id ${FINAL_PARTS}
   where t.chain = $1 and f.displaced_at is null order by t.key_ref, t.nonce limit 500`,
)
/** By wallet and nonce; without those that an operator has to settle. */
export const listWatched = async (db: Queryable, chain: ChainName): Promise<Watched[]> =>
  (await db.query<RowOf<Watched>>(WATCHED, [chain])).map(numbered)

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
