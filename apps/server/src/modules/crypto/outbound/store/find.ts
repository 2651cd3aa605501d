// SQL that finds what a transaction was sent for, by the hash of any attempt at it.
import { type Queryable, sql } from '#infra/database/db'
import type { Hex } from '#kernel/chain'

const FIND = sql(
  'outbound.find_by_hash',
  `select t.ref_id id from outbound.attempt a join outbound.transaction t on t.id = a.transaction_id
   where a.hash = lower($1) and t.purpose = 'payout'`,
)
/** The withdrawal that it pays; null for sweeps, gas and foreign transactions. */
export async function findPayoutOfHash(db: Queryable, hash: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(FIND, [hash])
  return row?.id ?? null
}

const SENT = sql(
  'outbound.find_sent',
  'select hash from outbound.attempt where hash = any ($1::text[])',
)
/** Which of these transactions, in lower case, were signed here, for whatever purpose. */
export async function findSent(db: Queryable, hashes: readonly Hex[]): Promise<ReadonlySet<Hex>> {
  const rows = await db.query<{ hash: Hex }>(SENT, [hashes])
  return new Set(rows.map(({ hash }) => hash))
}
