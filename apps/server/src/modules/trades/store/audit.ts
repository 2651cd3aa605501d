import { type Queryable, sql } from '#infra/db'
import { type AuditSlice, EVERY_ID, type Violation } from '#ledger'

const AUDIT = sql('trades.audit', 'select invariant, detail from trades.audit($1, $2) limit 100')

/** The broken promises of the trades of a slice, none when all is well. */
export const auditTrades = (
  db: Queryable,
  { after, upTo }: AuditSlice = EVERY_ID,
): Promise<Violation[]> => db.query(AUDIT, [after, upTo])

const END_OF_SLICE = sql(
  'trades.end_of_slice',
  'select max(id::text) id from (select id from trades.trade where id > $1 order by id limit $2) slice',
)

/** The last of the next `limit` trades after this id; null when there is none. */
export async function endOfSlice(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(END_OF_SLICE, [after, limit])
  return row?.id ?? null
}
