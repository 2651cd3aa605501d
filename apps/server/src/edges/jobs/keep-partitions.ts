// Makes the partitions of the days to come, removes those of days that are not kept any more, and measures
// how large the tables are.
import { KEY_REQUESTS_BY_DAY, KEY_REQUESTS_DAYS } from '#identity'
import type { Db } from '#infra/database/db'
import {
  agreedTime,
  countAhead,
  type DailyTable,
  keepPartitions,
  listPartitions,
  readDatabaseTime,
} from '#infra/database/partitions'
import { listTableSizes } from '#infra/database/table-sizes'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { CALLS_BY_DAY } from '#reconciliation'
import { ATTEMPTS_BY_DAY } from '#webhooks'

export interface KeepPartitionsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly kept: { readonly callsDays: number; readonly attemptsDays: number }
  /** Tests move it along with theirs. */
  readonly databaseTime?: () => Promise<Date>
}

const KEEP_EVERY_MS = 600_000
const MEASURE_EVERY_MS = 60_000

export function createKeepPartitions(deps: KeepPartitionsDeps): Job[] {
  const { db, clock, metrics, kept, databaseTime = () => readDatabaseTime(db) } = deps
  const tables: readonly (readonly [DailyTable, keptDays: number])[] = [
    [ATTEMPTS_BY_DAY, kept.attemptsDays],
    [CALLS_BY_DAY, kept.callsDays],
    [KEY_REQUESTS_BY_DAY, KEY_REQUESTS_DAYS],
  ]
  const ahead = metrics.gauge(
    'partitions_ahead',
    'Days to come for which a table has a partition',
    ['table'],
  )
  const bytes = metrics.gauge(
    'table_bytes',
    'Size of a table with its indexes and partitions, without the log',
    ['table'],
  )
  return [
    {
      name: 'keep-partitions',
      everyMs: KEEP_EVERY_MS,
      singleton: true,
      work: async ({ signal }) => {
        const at = agreedTime({ own: clock.now(), database: await databaseTime() })
        const failed: unknown[] = []
        for (const [table, keptDays] of tables) {
          // One table that is held up is not in the way of the others.
          await keepPartitions(db, table, { at, keptDays, signal }).catch((error) =>
            failed.push(error),
          )
        }
        if (failed.length > 0) throw failed[0]
        return false
      },
    },
    {
      name: 'measure-tables',
      everyMs: MEASURE_EVERY_MS,
      singleton: true,
      figures: [ahead, bytes],
      work: async () => {
        for (const [daily] of tables) {
          const partitions = await listPartitions(db, daily)
          ahead.labels(daily.table).set(countAhead(partitions, clock.now()))
        }
        for (const { table, bytes: size } of await listTableSizes(db)) {
          bytes.labels(table).set(Number(size))
        }
        return false
      },
    },
  ]
}
