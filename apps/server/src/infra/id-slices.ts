// A table in slices by id, for work that goes through all of it a piece at a time.
import { type Queryable, sql } from './db.ts'

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
