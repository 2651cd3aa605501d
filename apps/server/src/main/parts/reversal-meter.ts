// Deliveries that were taken back in their hold and are booked so: a figure, because no one has to decide.
import type { Metrics } from '#infra/process/metrics'
import type { MarketId } from '#kernel/market-id'

/** `bots`: what a user took back of our own bots. */
export function createReversalMeter(
  metrics: Metrics,
  market: MarketId | 'bots',
): (by: 'supplier' | 'user') => void {
  const reversals = metrics.counter(
    'reversals_total',
    'Deliveries that were taken back in their hold, by market and by who took them back',
    ['market', 'by'],
  )
  // A first one is a rise only where there was a value before.
  for (const by of ['supplier', 'user']) reversals.labels(market, by).inc(0)
  return (by) => reversals.labels(market, by).inc()
}
