// Fetches the exchange rate of the day.
import { type RefreshDeps, refreshRate } from '#fx'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'

export interface RefreshFxDeps extends RefreshDeps {
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs?: number
}

/** Reference rates are published once a working day; an hour finds a new one soon enough. */
const EVERY_MS = 3_600_000
const WARN_AGE_DAYS = 4

export function createRefreshFx({ log, metrics, everyMs = EVERY_MS, ...deps }: RefreshFxDeps): Job {
  const age = metrics.gauge(
    'fx_rate_age_days',
    'Days since the day of the exchange rate that holds',
  )
  const rejections = metrics.counter('fx_rate_rejections_total', 'Fetched rates that were rejected')
  return {
    name: 'refresh-fx',
    everyMs,
    singleton: true,
    figures: [age],
    work: async () => {
      const { rejected, ageDays, tooOld } = await refreshRate(deps)
      if (ageDays !== null) age.set(ageDays)
      if (rejected !== null) {
        rejections.inc()
        log.error({ alarm: 'fx_rate_rejected', rejected }, 'exchange rate rejected')
      }
      if (tooOld) {
        log.error(
          { alarm: 'fx_rate_too_old', ageDays },
          'exchange rate too old: euro prices are refused',
        )
      } else if (ageDays !== null && ageDays > WARN_AGE_DAYS) {
        log.warn({ ageDays }, 'the exchange rate is getting old')
      }
      return false
    },
  }
}
