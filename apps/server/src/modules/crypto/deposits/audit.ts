import { type Queryable, sql } from '#infra/database/db'
import { auditOfSlice, endOfSliceOf } from '#infra/database/id-slices'

export const auditDeposits = auditOfSlice('deposits.audit')
export const endOfDepositSlice = endOfSliceOf('deposits.end_of_slice', 'deposits.deposit')

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
