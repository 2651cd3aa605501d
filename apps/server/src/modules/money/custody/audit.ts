// The promises of the books in kind, looked at slice by slice: no statement reads more than a slice.
import { type Queryable, sql } from '#infra/database/db'
import type { Violation } from '#infra/database/id-slices'

/** What a slice is of: postings, balances of accounts, or closings, each by rising ids. */
export type CustodyTable = 'posting' | 'balance' | 'closing'

const audit = (table: CustodyTable) =>
  sql(`custody.audit_${table}s`, `select invariant, detail from custody.audit_${table}s($1, $2)`)
const AUDITS = {
  posting: audit('posting'),
  balance: audit('balance'),
  closing: audit('closing'),
}

/** A row for each broken promise of the rows after this id up to and with another. */
export const auditCustodySlice = (
  db: Queryable,
  table: CustodyTable,
  { after, upTo }: { readonly after: string; readonly upTo: string },
): Promise<Violation[]> => db.query<Violation>(AUDITS[table], [after, upTo])

const endOf = (table: CustodyTable, id: string) =>
  sql(
    `custody.end_of_slice_${table}`,
    `select max(id)::text id from (select ${id} id from custody.${table} where ${id} > $1 order by ${id} limit $2) slice`,
  )
const ENDS = {
  posting: endOf('posting', 'id'),
  balance: endOf('balance', 'account_id'),
  closing: endOf('closing', 'id'),
}

/** The last of the next `limit` rows after this id; null when there is none. */
export async function endOfCustodySlice(
  db: Queryable,
  table: CustodyTable,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(ENDS[table], [after, limit])
  return row?.id ?? null
}
