// Of a small table a scan is cheaper than an index: tests of plans ask whether an index serves at all.
import { sql, type Tx } from '../db.ts'

const INDEXES_ONLY = sql(
  'test_indexes_only',
  `select set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
)

/** Until the transaction ends; also for a statement whose plan the connection has kept from before. */
export const useIndexesOnly = async (tx: Tx): Promise<void> => {
  await tx.query(INDEXES_ONLY)
}
