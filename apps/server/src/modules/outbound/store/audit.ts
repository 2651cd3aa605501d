// SQL of the audit of outbound.
import { type Queryable, sql } from '#infra/db'
import { endOfSliceOf } from '#infra/id-slices'

const AUDIT = sql(
  'outbound.audit',
  'select invariant, detail from outbound.audit($1, $2) limit 100',
)
/** Nonces, attempts and ends of the transactions with ids above `after`, up to and with `upTo`; or of all. */
export const auditOutbound = (
  db: Queryable,
  {
    after = '00000000-0000-0000-0000-000000000000',
    upTo = 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  }: { readonly after?: string; readonly upTo?: string } = {},
): Promise<{ invariant: string; detail: string }[]> => db.query(AUDIT, [after, upTo])

export const endOfTransactionSlice = endOfSliceOf('outbound.end_of_slice', 'outbound.transaction')
