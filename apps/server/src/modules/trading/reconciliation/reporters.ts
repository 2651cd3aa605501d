// A contradiction that is seen is kept as a case; a new case is counted and logged as an alarm.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { CaseSource } from './case.ts'
import { createReporter, type Reporter } from './report.ts'

export interface ReportersDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

export function createReporters({
  db,
  clock,
  log,
  metrics,
}: ReportersDeps): (source: CaseSource) => Reporter {
  const cases = metrics.counter(
    'reconciliation_cases_total',
    'Cases opened: contradictions between us and a supplier that an operator must look at',
    ['what'],
  )
  // The alert follows the time: a counter begins again with its process.
  const last = metrics.gauge('reconciliation_case_last_seconds', 'Unix time of the last of them', [
    'what',
  ])
  return (source) =>
    createReporter({
      db,
      clock,
      source,
      onOpened: (what, details) => {
        cases.labels(what).inc()
        last.labels(what).set(clock.now().getTime() / 1000)
        log.error({ alarm: 'reconciliation_case', what, ...details }, 'reconciliation case opened')
      },
    })
}
