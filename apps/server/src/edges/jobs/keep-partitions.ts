// Makes the partitions of the days and months to come, removes those of times that are not kept any more, and
// measures how large the tables are.
import { KEY_REQUESTS_BY_DAY, KEY_REQUESTS_DAYS } from '#identity'
import type { Db } from '#infra/database/db'
import {
  agreedTime,
  countAhead,
  countOverdue,
  keepPartitions,
  listPartitions,
  type Partition,
  type PartitionedTable,
  readDatabaseTime,
} from '#infra/database/partitions'
import { listTableSizes } from '#infra/database/table-sizes'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { EVENTS_BY_MONTH, fillKeys } from '#outbox'
import { CALLS_BY_DAY } from '#reconciliation'
import { ATTEMPTS_BY_DAY, beginMonth, DELIVERIES_BY_MONTH } from '#webhooks'

export interface KeepPartitionsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly kept: {
    readonly callsDays: number
    readonly attemptsDays: number
    readonly deliveriesDays: number
    readonly eventsDays: number
  }
  /** Tests move it along with theirs. */
  readonly databaseTime?: () => Promise<Date>
}

interface Kept {
  readonly parted: PartitionedTable
  readonly keptDays: number
  /** What must be done before the first partition is closed; false: it was cut off. */
  readonly prepare?: (db: Db, run: { readonly signal: AbortSignal }) => Promise<boolean>
  /** Once there are the partitions of this time and those to come. */
  readonly begin?: (
    db: Db,
    is: { readonly partitions: readonly Partition[]; readonly at: Date },
  ) => Promise<void>
}

const KEEP_EVERY_MS = 600_000
const MEASURE_EVERY_MS = 60_000

export function createKeepPartitions(deps: KeepPartitionsDeps): Job[] {
  const { db, clock, metrics, kept, databaseTime = () => readDatabaseTime(db) } = deps
  const tables: readonly Kept[] = [
    { parted: ATTEMPTS_BY_DAY, keptDays: kept.attemptsDays },
    { parted: CALLS_BY_DAY, keptDays: kept.callsDays },
    { parted: DELIVERIES_BY_MONTH, keptDays: kept.deliveriesDays, begin: beginMonth },
    { parted: EVENTS_BY_MONTH, keptDays: kept.eventsDays, prepare: fillKeys },
    { parted: KEY_REQUESTS_BY_DAY, keptDays: KEY_REQUESTS_DAYS },
  ]
  const ahead = metrics.gauge(
    'partitions_ahead',
    'Whole days or months to come for which a table has a partition',
    ['table'],
  )
  const overdue = metrics.gauge(
    'partitions_overdue',
    'Partitions of a table that are older than what is kept, and are kept all the same',
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
        for (const { parted, keptDays, prepare, begin } of tables) {
          try {
            if (prepare && !(await prepare(db, { signal }))) continue
            const partitions = await keepPartitions(db, parted, { at, keptDays, signal })
            await begin?.(db, { partitions, at })
          } catch (error) {
            // One table that is held up is not in the way of the others.
            failed.push(error)
          }
        }
        if (failed.length > 0) throw failed[0]
        return false
      },
    },
    {
      name: 'measure-tables',
      everyMs: MEASURE_EVERY_MS,
      singleton: true,
      figures: [ahead, overdue, bytes],
      work: async () => {
        const at = clock.now()
        for (const { parted, keptDays } of tables) {
          const partitions = await listPartitions(db, parted)
          ahead.labels(parted.table).set(countAhead(partitions, at))
          overdue.labels(parted.table).set(countOverdue(partitions, { at, keptDays }))
        }
        for (const { table, bytes: size } of await listTableSizes(db)) {
          bytes.labels(table).set(Number(size))
        }
        return false
      },
    },
  ]
}
