// SQL of the audits of payouts.
import { type Queryable, sql } from '#infra/db'
import { type AuditSlice, EVERY_ID, type Violation } from '#ledger'

const AUDIT = sql('payouts.audit', 'select invariant, detail from payouts.audit()')
/** What is in flight, and where withdrawals stand beside their transactions. */
export const auditPayouts = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

const AUDIT_WITHDRAWALS = sql(
  'payouts.audit_withdrawals',
  'select invariant, detail from payouts.audit_withdrawals($1, $2) limit 100',
)
/** Postings and events of the withdrawals of a slice. */
export const auditWithdrawals = (
  db: Queryable,
  { after, upTo }: AuditSlice = EVERY_ID,
): Promise<Violation[]> => db.query(AUDIT_WITHDRAWALS, [after, upTo])

const AUDIT_DEPOSITS = sql(
  'payouts.audit_deposits',
  'select invariant, detail from payouts.audit_deposits($1, $2) limit 100',
)
/** Events of the deposits into custody of a slice of transfers. */
export const auditCustodyDeposits = (
  db: Queryable,
  { after, upTo }: AuditSlice = EVERY_ID,
): Promise<Violation[]> => db.query(AUDIT_DEPOSITS, [after, upTo])

const END_OF_SLICE = sql(
  'payouts.end_of_slice',
  'select max(id::text) id from (select id from payouts.withdrawal where id > $1 order by id limit $2) slice',
)
/** The last of the next `limit` withdrawals after this id; null when there is none. */
export async function endOfWithdrawalSlice(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(END_OF_SLICE, [after, limit])
  return row?.id ?? null
}

const COMPLETED = sql(
  'payouts.completed_deposits',
  `select id from payouts.deposit where id = any ($1::uuid[]) and status = 'completed'`,
)
/** Which of these transfers are completed deposits into custody. */
export const findCompletedDeposits = async (
  db: Queryable,
  transferIds: readonly string[],
): Promise<string[]> =>
  (await db.query<{ id: string }>(COMPLETED, [transferIds])).map(({ id }) => id)
