// A contradiction that is seen is kept as a case; a new case is counted and logged as an alarm.
import { type CaseSource, createReporter, type ReportCase } from '#reconciliation'
import type { Resources } from './resources.ts'

export function createReporters({
  db,
  clock,
  log,
  metrics,
}: Pick<Resources, 'db' | 'clock' | 'log' | 'metrics'>): (source: CaseSource) => ReportCase {
  const cases = metrics.counter(
    'reconciliation_cases_total',
    'Cases opened: contradictions between us and a supplier that an operator must look at',
    ['what'],
  )
  return (source) =>
    createReporter({
      db,
      clock,
      source,
      onOpened: (what, facts) => {
        cases.labels(what).inc()
        log.error({ alarm: 'reconciliation_case', what, ...facts }, 'reconciliation case opened')
      },
    })
}
