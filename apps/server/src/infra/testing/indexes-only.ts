// Of a small table a scan is cheaper than an index: tests of plans ask whether an index serves at all.
import { type Statement, sql, type Tx } from '../database/db.ts'

const INDEXES_ONLY = sql(
  'test_indexes_only',
  `select set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
)

/** Of a table that is partitioned PostgreSQL counts nothing itself: its partitions count. */
const SCANS = sql(
  'test_scans',
  'select sum(pg_stat_get_xact_numscans(relid))::int count from pg_partition_tree($1::text::regclass) where isleaf',
)

/** Until the transaction ends; also for a statement whose plan the connection has kept from before. */
export const useIndexesOnly = async (tx: Tx): Promise<void> => {
  await tx.query(INDEXES_ONLY)
}

const ROWS = sql(
  'test_rows',
  `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int count from pg_stat_xact_all_tables
   where relid in (select relid from pg_partition_tree($1::text::regclass))`,
)

type Work = () => Promise<void>

/** How often the work read a table as a whole. */
export const wholeScans = (tx: Tx, table: string, work: Work): Promise<number> =>
  countedIn(tx, { counter: SCANS, table }, work)

/** How many rows of a table the work read, by an index or without one. */
export const rowsRead = (tx: Tx, table: string, work: Work): Promise<number> =>
  countedIn(tx, { counter: ROWS, table }, work)

/**
 * PostgreSQL's counters also hold what the connection's earlier transactions did in the last second: the
 * difference counts.
 */
async function countedIn(
  tx: Tx,
  { counter, table }: { readonly counter: Statement; readonly table: string },
  work: Work,
): Promise<number> {
  const read = async () => (await tx.query<{ count: number }>(counter, [table]))[0]?.count ?? 0
  const before = await read()
  await work()
  return (await read()) - before
}
