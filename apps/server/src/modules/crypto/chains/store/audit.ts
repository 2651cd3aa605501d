// SQL of the audits of chains.
import { type Queryable, sql } from '#infra/database/db'
import { auditOfSlice, endOfSliceOf, type IdSlice, type Violation } from '#infra/database/id-slices'
import type { Purpose } from '../read-transfers.ts'

const AUDIT = sql('chains.audit', 'select invariant, detail from chains.audit()')
/** A row for each broken promise about cursors and the newest blocks. */
export const auditChains = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

/** Of transfers: their postings, their blocks, and that a small one that waits has a sum. */
export const auditTransfers = auditOfSlice('chains.audit_transfers')
export const endOfTransferSlice = endOfSliceOf('chains.end_of_slice', 'chains.transfer')

/** Of sweeps: their sums. */
export const auditSweeps = auditOfSlice('chains.audit_sweeps')
export const endOfSweepSlice = endOfSliceOf('chains.end_of_sweep_slice', 'chains.sweep')

/** Of batches of small transfers: their sums. */
export const auditBatches = auditOfSlice('chains.audit_batches')
export const endOfBatchSlice = endOfSliceOf('chains.end_of_batch_slice', 'chains.dust_batch')

/** Of the sums of small transfers that wait. */
export const auditDust = auditOfSlice('chains.audit_dust')
export const endOfDustSlice = endOfSliceOf('chains.end_of_dust_slice', 'chains.dust_sum')

const CREDITED = sql(
  'chains.list_credited',
  `select distinct coalesce(t.dust_batch_id, t.id) id, t.purpose from chains.transfer t
   where t.id > $1 and t.id <= $2 and t.state = 'credited' and t.purpose in ('deposit', 'payout_custody')`,
)
/** Under which ids the credited transfers of a slice were credited: their own, or that of their batch. */
export const listCredited = (
  db: Queryable,
  { after, upTo }: IdSlice,
): Promise<{ readonly id: string; readonly purpose: Purpose }[]> =>
  db.query(CREDITED, [after, upTo])
