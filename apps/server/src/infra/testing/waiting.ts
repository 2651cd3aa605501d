import { sql } from '../database/db.ts'

/**
 * A row for each statement of the database that waits for a lock. Not within a transaction: there PostgreSQL
 * shows what it showed first.
 */
export const WAITING = sql(
  'test_waiting',
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
)
