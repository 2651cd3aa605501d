// Shows what the service holds or owes in euros by conversions, beside its limit.
import { readExposure } from '#fx'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'
import type { Cents } from '#kernel/money'

const EVERY_MS = 30_000

export function createWatchExposure({
  db,
  metrics,
  limit,
}: {
  readonly db: Db
  readonly metrics: Metrics
  readonly limit: Cents
}): Job {
  const exposure = metrics.gauge(
    'fx_exposure_dollars',
    'What the service holds or owes in euros by conversions',
  )
  metrics
    .gauge('fx_exposure_limit_dollars', 'The exposure beyond which conversions are refused')
    .set(Number(limit) / 100)
  return {
    name: 'watch-exposure',
    everyMs: EVERY_MS,
    singleton: true,
    figures: [exposure],
    work: async () => {
      const cents = await readExposure(db)
      if (cents !== null) exposure.set(Number(cents) / 100)
      return false
    },
  }
}
