// A table in slices by id, for work that goes through all of it a piece at a time.
import { type Queryable, sql } from './db.ts'

/** A range of ids: those above `after` up to and with `upTo`. */
export interface IdSlice {
  readonly after: string
  readonly upTo: string
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const EVERY_ID: IdSlice = { after: FIRST_ID, upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** A promise about data that is broken, and where. */
export interface Violation {
  readonly invariant: string
  readonly detail: string
}

/** The first hundred broken promises about the rows of a slice, none when all is well. */
export type AuditOfSlice = (db: Queryable, slice?: IdSlice) => Promise<Violation[]>

/** `audit` is an SQL function of a slice, written with its schema. */
export function auditOfSlice(audit: string): AuditOfSlice {
  const statement = sql(audit, `select invariant, detail from ${audit}($1, $2) limit 100`)
  return (db, { after, upTo } = EVERY_ID) => db.query(statement, [after, upTo])
}

/** The last of the next `limit` ids after `after`; null when there is none. */
export type EndOfSlice = (db: Queryable, after: string, limit: number) => Promise<string | null>

/** `statement` is the name that its statement is prepared under, `table` is written with its schema. */
export function endOfSliceOf(statement: string, table: string): EndOfSlice {
  const end = sql(
    statement,
    `select max(id::text) id from (select id from ${table} where id > $1 order by id limit $2) slice`,
  )
  return async (db, after, limit) => {
    const [row] = await db.query<{ id: string | null }>(end, [after, limit])
    return row?.id ?? null
  }
}
