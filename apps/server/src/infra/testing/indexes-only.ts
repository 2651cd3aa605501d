// Of a small table a scan is cheaper than an index: tests of plans ask whether an index serves at all.
import { sql, type Tx } from '../db.ts'

const INDEXES_ONLY = sql(
  'test_indexes_only',
  `select set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
)

const SCANS = sql('test_scans', 'select pg_stat_get_xact_numscans($1::text::regclass)::int scans')

/** Until the transaction ends; also for a statement whose plan the connection has kept from before. */
export const useIndexesOnly = async (tx: Tx): Promise<void> => {
  await tx.query(INDEXES_ONLY)
}

/**
 * How often the work read a table as a whole. PostgreSQL's counters also hold what the connection's
 * earlier transactions did in the last second: the difference counts.
 */
export async function wholeScans(
  tx: Tx,
  table: string,
  work: () => Promise<void>,
): Promise<number> {
  const read = async () => (await tx.query<{ scans: number }>(SCANS, [table]))[0]?.scans ?? 0
  const before = await read()
  await work()
  return (await read()) - before
}
