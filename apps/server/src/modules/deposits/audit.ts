import { type Queryable, sql } from '#infra/db'
import { type AuditSlice, EVERY_ID, type Violation } from '#ledger'

const AUDIT = sql(
  'deposits.audit',
  'select invariant, detail from deposits.audit($1, $2) limit 100',
)

/** The broken promises of the deposits of a slice, none when all is well. */
export const auditDeposits = (
  db: Queryable,
  { after, upTo }: AuditSlice = EVERY_ID,
): Promise<Violation[]> => db.query(AUDIT, [after, upTo])

const END_OF_SLICE = sql(
  'deposits.end_of_slice',
  'select max(id::text) id from (select id from deposits.deposit where id > $1 order by id limit $2) slice',
)
/** The last of the next `limit` deposits after this id; null when there is none. */
export async function endOfDepositSlice(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(END_OF_SLICE, [after, limit])
  return row?.id ?? null
}

const COMPLETED = sql(
  'deposits.completed_transfers',
  `select transfer_id id from deposits.deposit where transfer_id = any ($1::uuid[]) and status = 'completed'`,
)
/** Which of these transfers, or batches of small ones, are completed deposits. */
export const findCompletedTransfers = async (
  db: Queryable,
  transferIds: readonly string[],
): Promise<string[]> =>
  (await db.query<{ id: string }>(COMPLETED, [transferIds])).map(({ id }) => id)
