// SQL of the audits of chains.
import { type Queryable, sql } from '#infra/db'
import { endOfSliceOf } from '#infra/id-slices'
import type { Purpose } from '../read-transfers.ts'

export interface Violation {
  readonly invariant: string
  readonly detail: string
}

/** Ids above the first one, up to and with the second. */
export interface Slice {
  readonly after: string
  readonly upTo: string
}

const AUDIT = sql('chains.audit', 'select invariant, detail from chains.audit()')
/** A row for each broken promise about cursors and the newest blocks. */
export const auditChains = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

const AUDIT_TRANSFERS = sql(
  'chains.audit_transfers',
  'select invariant, detail from chains.audit_transfers($1, $2) limit 100',
)
/** The same about the postings and the blocks of the transfers of a slice. */
export const auditTransfers = (db: Queryable, { after, upTo }: Slice): Promise<Violation[]> =>
  db.query(AUDIT_TRANSFERS, [after, upTo])

export const endOfTransferSlice = endOfSliceOf('chains.end_of_slice', 'chains.transfer')

const AUDIT_SWEEPS = sql(
  'chains.audit_sweeps',
  'select invariant, detail from chains.audit_sweeps($1, $2) limit 100',
)
/** The same about the sums of the sweeps of a slice. */
export const auditSweeps = (db: Queryable, { after, upTo }: Slice): Promise<Violation[]> =>
  db.query(AUDIT_SWEEPS, [after, upTo])

export const endOfSweepSlice = endOfSliceOf('chains.end_of_sweep_slice', 'chains.sweep')

const AUDIT_BATCHES = sql(
  'chains.audit_batches',
  'select invariant, detail from chains.audit_batches($1, $2) limit 100',
)
/** The same about the sums of the batches of small transfers of a slice. */
export const auditBatches = (db: Queryable, { after, upTo }: Slice): Promise<Violation[]> =>
  db.query(AUDIT_BATCHES, [after, upTo])

export const endOfBatchSlice = endOfSliceOf('chains.end_of_batch_slice', 'chains.dust_batch')

const CREDITED = sql(
  'chains.list_credited',
  `select distinct coalesce(t.dust_batch_id, t.id) id, t.purpose from chains.transfer t
   where t.id > $1 and t.id <= $2 and t.state = 'credited' and t.purpose in ('deposit', 'payout_custody')`,
)
/** Under which ids the credited transfers of a slice were credited: their own, or that of their batch. */
export const listCredited = (
  db: Queryable,
  { after, upTo }: Slice,
): Promise<{ readonly id: string; readonly purpose: Purpose }[]> =>
  db.query(CREDITED, [after, upTo])
