import { type Queryable, sql } from '#infra/db'
import { endOfSliceOf } from '#infra/id-slices'
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
