// Shows how old the newest copy of the database is, when one was last restored, and whether its log is still
// archived.
import { readBackups } from '#infra/database/backups'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'

export function createWatchBackups({
  db,
  metrics,
}: {
  readonly db: Db
  readonly metrics: Metrics
}): Job {
  const taken = metrics.gauge(
    'backup_last_seconds',
    'When the newest copy of the database was taken, in Unix seconds; 0: never',
  )
  const rehearsed = metrics.gauge(
    'backup_rehearsed_last_seconds',
    'When a copy was last restored and its books audited, in Unix seconds; 0: never',
  )
  const failing = metrics.gauge(
    'backup_archive_failing',
    'Whether the newest attempt to archive the database’s log failed',
  )
  const seconds = (at: Date | null): number => (at?.getTime() ?? 0) / 1000
  return {
    name: 'watch-backups',
    everyMs: 60_000,
    singleton: true,
    figures: [taken, rehearsed, failing],
    work: async () => {
      const state = await readBackups(db)
      taken.set(seconds(state.takenAt))
      rehearsed.set(seconds(state.rehearsedAt))
      failing.set(state.isArchiveFailing ? 1 : 0)
      return false
    },
  }
}
