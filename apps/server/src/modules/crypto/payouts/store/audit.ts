// SQL of the audits of payouts.
import { type Queryable, sql } from '#infra/database/db'
import { auditOfSlice, endOfSliceOf, type Violation } from '#infra/database/id-slices'

const AUDIT = sql('payouts.audit', 'select invariant, detail from payouts.audit()')
/** What is open beside what is in flight, and the sums of approvals: bounded by what is open and by days. */
export const auditPayouts = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

/** Of withdrawals: postings, events and transactions, and what is in flight beside them. */
export const auditWithdrawals = auditOfSlice('payouts.audit_withdrawals')

/** Of transfers: the events of deposits into custody. */
export const auditCustodyDeposits = auditOfSlice('payouts.audit_deposits')

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
