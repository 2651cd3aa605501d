// Counted by the worker that answers, and by the process that waited for an answer in vain.
import type { Metrics } from '#infra/process/metrics'

export const createLookUpMeter = (metrics: Metrics): ((by: string, outcome: string) => void) => {
  const lookUps = metrics.counter(
    'platform_trade_url_look_ups_total',
    'Look-ups of trade URLs, by who answered and what came of them',
    ['by', 'outcome'],
  )
  // Counted from 0 on, so that the first ones are seen as well.
  for (const outcome of ['resolved', 'refused', 'unavailable'])
    lookUps.labels('bots', outcome).inc(0)
  return (by, outcome) => lookUps.labels(by, outcome).inc()
}
