// What API keys may spend: the refusals, and how much was spent. It is counted by SQL, in the commit that
// moves the money.
import { type Queryable, sql, sqlDetail, sqlState, type Tx } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'

export interface SpendLimit {
  /** US cents. */
  readonly amountCents: Cents
  /** Of the UTC calendar. */
  readonly window: 'day' | 'month'
}

/** SPENDING_LIMIT_REACHED when that is what the error of a statement says; null for every other error. */
export const limitRefusal = (error: unknown): Refusal | null =>
  sqlState(error) === 'PT403'
    ? new Refusal('SPENDING_LIMIT_REACHED', JSON.parse(sqlDetail(error) ?? '{}'))
    : null

/** Something that a key spends on. */
export interface Spend {
  /** Null, an id that is no key's and a key without a limit are not counted. */
  readonly keyId: string | null
  /** The trade, funding or withdrawal that it is given back with. */
  readonly refId: string
  /** US cents. */
  readonly cents: Cents
}

const SPEND = sql(
  'identity.count_spends',
  'select identity.count_spends($1::uuid[], $2::uuid[], $3::bigint[], $4)',
)
/**
 * Counts under the limits of the keys. It is the last lock that a transaction takes but for one that all
 * tenants share, and taken once. Refuses SPENDING_LIMIT_REACHED.
 */
export async function countSpends(tx: Tx, spends: readonly Spend[], at: Date): Promise<void> {
  if (spends.length === 0) return
  try {
    await tx.query(SPEND, [
      spends.map(({ keyId }) => keyId),
      spends.map(({ refId }) => refId),
      spends.map((one) => one.cents),
      at,
    ])
  } catch (error) {
    throw limitRefusal(error) ?? error
  }
}

const BEYOND_LIMIT = sql(
  'identity.is_beyond_limit_of',
  `select 1 from identity.api_key k where k.id = $1 and k.spend_limit_id is not null
     and k.spend_limit_id is distinct from (select m.spend_limit_id from identity.api_key m where m.id = $2)`,
)
/**
 * Whether a key has a limit under which what `spenderId` spends is not counted: it may then not have more
 * spent by that key, or by a person (null).
 */
export const isBeyondLimitOf = async (
  db: Queryable,
  keyId: string,
  spenderId: string | null,
): Promise<boolean> => (await db.query(BEYOND_LIMIT, [keyId, spenderId])).length > 0

const LOCK_LIMIT = sql('identity.lock_limit_of', 'select identity.lock_limit_of($1)')
/**
 * Locks all that `countSpends` would wait for, in a transaction that locks what all tenants share before it
 * counts. The wallets are locked.
 */
export async function lockLimitOf(tx: Tx, keyId: string): Promise<void> {
  await tx.query(LOCK_LIMIT, [keyId])
}

const HAS_LIMIT = sql('identity.has_spend_limit', 'select identity.has_spend_limit($1) limited')
export async function hasSpendLimit(db: Queryable, keyId: string): Promise<boolean> {
  const [row] = await db.query<{ limited: boolean }>(HAS_LIMIT, [keyId])
  return row?.limited ?? false
}

const GIVE_BACK = sql('identity.give_back', 'select identity.give_back($1, $2, $3)')
/** As far as it was counted, and while the window of the limit lasts. US cents. */
export async function giveBackSpend(
  tx: Tx,
  { refId, cents: amount }: Pick<Spend, 'refId' | 'cents'>,
  at: Date,
): Promise<void> {
  await tx.query(GIVE_BACK, [refId, amount, at])
}

const SET_LIMIT = sql('identity.set_spend_limit', 'select identity.set_spend_limit($1, $2, $3, $4)')
/** A new limit, or another amount or window of one: what was spent under it is kept. */
export async function setSpendLimit(
  tx: Tx,
  id: string,
  { amountCents, window }: SpendLimit,
  at: Date,
): Promise<void> {
  await tx.query(SET_LIMIT, [id, amountCents, window, at])
}

const SPENT = sql(
  'identity.spent_by_keys',
  `select k.id, identity.spent_under(k.spend_limit_id, $2) spent from identity.api_key k
   where k.id = any ($1::uuid[]) and k.spend_limit_id is not null`,
)
/** US cents of the window of now, by key; keys without a limit are left out. */
export async function readSpent(
  db: Queryable,
  keyIds: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, Cents>> {
  const rows = await db.query<{ id: string; spent: bigint }>(SPENT, [keyIds, at])
  return new Map(rows.map(({ id, spent }) => [id, cents(spent)]))
}

const PURGE = sql(
  'identity.purge_spends',
  `with old as (
     select ref_id from identity.spend where day < date_trunc('month', $1 at time zone 'UTC')::date - 1
     order by day limit $2 for update skip locked),
   purged as (delete from identity.spend s using old where s.ref_id = old.ref_id returning s.ref_id)
   select count(*)::int purged from purged`,
)
/** Of windows that are over: nothing of them is given back any more. How many. */
export async function purgeSpends(db: Queryable, at: Date, limit: number): Promise<number> {
  const [row] = await db.query<{ purged: number }>(PURGE, [at, limit])
  return row?.purged ?? 0
}
