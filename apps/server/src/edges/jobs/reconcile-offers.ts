// Holds the platform's list of each bot's offers against our sells: what is recent every few minutes, the
// whole time of a hold several times a day.
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'
import { createOfferReconciling, type OfferReconcilingDeps } from '#reconciliation'

export interface ReconcileOffersDeps extends OfferReconcilingDeps {
  readonly metrics: Metrics
  readonly everyMs: number
}

const HOUR_MS = 3_600_000
const RECENT_MS = 2 * HOUR_MS
const WHOLE_MS = 9 * 24 * HOUR_MS
const WHOLE_EVERY_MS = 6 * HOUR_MS

export function createReconcileOffers(deps: ReconcileOffersDeps): Job {
  const { clock, log, metrics, everyMs } = deps
  const readAt = metrics.gauge(
    'reconciliation_offers_read_seconds',
    'Unix time of the last list of a bot’s offers that was read and compared',
    ['bot'],
  )
  const reconcile = createOfferReconciling(deps)
  let wholeDueMs = 0
  return {
    name: 'reconcile-offers',
    everyMs,
    singleton: true,
    work: async () => {
      const nowMs = clock.now().getTime()
      const isWhole = nowMs >= wholeDueMs
      // Set before: a list that cannot be read must not be asked for every few minutes.
      if (isWhole) wholeDueMs = nowMs + Math.max(WHOLE_EVERY_MS, everyMs)
      for (const { botId, trouble } of await reconcile(isWhole ? WHOLE_MS : RECENT_MS)) {
        if (trouble === null) readAt.labels(botId).set(clock.now().getTime() / 1000)
        else log.warn({ bot: botId, detail: trouble }, 'a bot’s offers could not be compared')
      }
      return false
    },
  }
}
