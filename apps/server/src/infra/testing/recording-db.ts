// A database that keeps the names of the statements that pass through it: for tests that compare what two
// calls cost without a clock.
import type { Db, Queryable } from '../database/db.ts'

export interface RecordingDb extends Db {
  /** The statements since the last call, in their order; `begin` and `commit` of transactions among them. */
  taken(): readonly string[]
}

export function recordingDb(db: Db): RecordingDb {
  let names: string[] = []
  const recorded = (target: Queryable): Queryable['query'] => {
    return (statement, values) => {
      names.push(statement.name)
      return target.query(statement, values)
    }
  }
  return {
    ...db,
    query: recorded(db),
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        names.push('begin')
        const result = await work({ ...tx, query: recorded(tx) })
        names.push('commit')
        return result
      }, options),
    taken: () => {
      const taken = names
      names = []
      return taken
    },
  }
}
