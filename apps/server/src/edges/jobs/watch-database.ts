// What a failover of the database leaves behind: another history, and the standbys that hold each commit.
import type { Db } from '#infra/database/db'
import { readHistory } from '#infra/database/recovery-mark'
import { countSynchronousStandbys } from '#infra/database/standbys'
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'

export interface WatchDatabaseDeps {
  readonly db: Db
  readonly metrics: Metrics
}

export function createWatchDatabase({ db, metrics }: WatchDatabaseDeps): Job {
  const changes = metrics.counter(
    'db_history_changes_total',
    'Times that the database went on as another server or on another timeline',
  )
  const standbys = metrics.gauge(
    'db_synchronous_standbys',
    'Standbys that hold every commit before it is acknowledged',
  )
  // Counted from 0 on, so that the first one is seen as well.
  changes.inc(0)
  let known: string | null = null
  return {
    name: 'watch-database',
    everyMs: 5000,
    work: async () => {
      const [history, count] = await Promise.all([readHistory(db), countSynchronousStandbys(db)])
      if (known !== null && known !== history) changes.inc()
      known = history
      standbys.set(count)
      return false
    },
  }
}
