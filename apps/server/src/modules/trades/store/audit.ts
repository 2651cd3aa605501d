import { type Queryable, sql } from '#infra/db'
import { endOfSliceOf } from '#infra/id-slices'
import { type AuditSlice, EVERY_ID, type Violation } from '#ledger'

const AUDIT = sql('trades.audit', 'select invariant, detail from trades.audit($1, $2) limit 100')

/** The broken promises of the trades of a slice, none when all is well. */
export const auditTrades = (
  db: Queryable,
  { after, upTo }: AuditSlice = EVERY_ID,
): Promise<Violation[]> => db.query(AUDIT, [after, upTo])

export const endOfSlice = endOfSliceOf('trades.end_of_slice', 'trades.trade')
