// Where the database is, and the replica that serves reads.
import type { Secret, Values } from './settings.ts'

export interface DatabaseConfig {
  readonly url: Secret | null
  readonly poolSize: number
  /** Null: no replica serves reads. */
  readonly replica: { readonly url: Secret; readonly maxLagMs: number } | null
}

export function databaseOf(values: Values): DatabaseConfig {
  const { DATABASE_URL: url, DB_POOL_SIZE: poolSize } = values
  const { DATABASE_READ_URL: readUrl, READ_MAX_LAG_MS: maxLagMs } = values
  return { url, poolSize, replica: readUrl === null ? null : { url: readUrl, maxLagMs } }
}
