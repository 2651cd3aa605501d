// SQL of the audits of chains.
import { type Queryable, sql } from '#infra/db'
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
/** A row for each broken promise about cursors, blocks, transfers and sweeps. */
export const auditChains = (db: Queryable): Promise<Violation[]> => db.query(AUDIT)

const AUDIT_TRANSFERS = sql(
  'chains.audit_transfers',
  'select invariant, detail from chains.audit_transfers($1, $2) limit 100',
)
/** The same about the postings of the transfers of a slice. */
export const auditTransfers = (db: Queryable, { after, upTo }: Slice): Promise<Violation[]> =>
  db.query(AUDIT_TRANSFERS, [after, upTo])

const END_OF_SLICE = sql(
  'chains.end_of_slice',
  'select max(id::text) id from (select id from chains.transfer where id > $1 order by id limit $2) slice',
)
/** The last of the next `limit` transfers after this id; null when there is none. */
export async function endOfTransferSlice(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(END_OF_SLICE, [after, limit])
  return row?.id ?? null
}

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
