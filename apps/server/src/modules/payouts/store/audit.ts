// SQL of the audits of payouts.
import { type Queryable, sql } from '#infra/db'
import { endOfSliceOf } from '#infra/id-slices'
import { type AuditSlice, EVERY_ID, type Violation } from '#ledger'

const AUDIT = sql('payouts.audit', 'select invariant, detail from payouts.audit()')
/** What is open beside what is in flight, and the sums of approvals: bounded by what is open and by days. */
export const auditPayouts = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

const AUDIT_WITHDRAWALS = sql(
  'payouts.audit_withdrawals',
  'select invariant, detail from payouts.audit_withdrawals($1, $2) limit 100',
)
/** Postings, events and transactions of the withdrawals of a slice, and what is in flight beside them. */
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

export const endOfWithdrawalSlice = endOfSliceOf('payouts.end_of_slice', 'payouts.withdrawal')

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
