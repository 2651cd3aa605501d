// Counts the open cases for the metrics, writes what is left of the calls to suppliers when its process ends,
// and forgets lines of suppliers' statements that are a month old.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { type CallLog, countOpenCases, pruneLines } from '#reconciliation'

export interface KeepCasesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly calls: CallLog
}

const KEPT_LINES_MS = 30 * 24 * 3_600_000

export function createKeepCases({ db, clock, metrics, calls }: KeepCasesDeps): Job[] {
  const open = metrics.gauge('reconciliation_cases_open', 'Open reconciliation cases', [
    'kind',
    'cleared',
  ])
  const age = metrics.gauge(
    'reconciliation_cases_oldest_age_seconds',
    'Age of the oldest of them',
    ['kind', 'cleared'],
  )
  return [
    {
      name: 'count-cases',
      everyMs: 15_000,
      atEnd: () => calls.flush(),
      work: async () => {
        const counted = await countOpenCases(db)
        // A kind whose last case was resolved would show its last value for ever.
        open.reset()
        age.reset()
        for (const { kind, cleared, count, oldest } of counted) {
          open.labels(kind, String(cleared)).set(count)
          age.labels(kind, String(cleared)).set((clock.now().getTime() - oldest.getTime()) / 1000)
        }
        return false
      },
    },
    {
      name: 'prune-statement-lines',
      everyMs: 3_600_000,
      singleton: true,
      work: () => pruneLines(db, new Date(clock.now().getTime() - KEPT_LINES_MS)),
    },
  ]
}
