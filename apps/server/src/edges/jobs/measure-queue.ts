// Measures how fast a market takes orders, and with it how many items may wait there.
import { isBuying, listAccounts, listPlaced, type Market, measureQueue } from '#buying'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import type { MarketId } from '#kernel/market-id'

export interface MeasureQueueDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly market: MarketId
  /** The market with each of our accounts. */
  accounts(): readonly Pick<Market, 'account' | 'traits'>[]
}

const EVERY_MS = 2000

export function createMeasureQueue({
  db,
  clock,
  metrics,
  market,
  accounts,
}: MeasureQueueDeps): Job {
  const wait = metrics.gauge(
    'market_expected_wait_seconds',
    'For how long an item that is bought now waits until its order is placed',
    ['market'],
  )
  const placed = metrics.gauge(
    'market_placed_per_minute',
    'Orders that were begun in a minute, of the last ten',
    ['market', 'account'],
  )
  return {
    name: `measure-queue-${market}`,
    everyMs: EVERY_MS,
    singleton: true,
    figures: [wait, placed],
    work: async () => {
      const at = clock.now()
      const known = await listAccounts(db)
      const open = accounts().filter(({ account }) =>
        known.some((one) => one.market === market && one.name === account && isBuying(one)),
      )
      const queue = await measureQueue(db, { market, at, pacePerMinute: paceOf(open) })
      wait.labels(market).set(queue.expectedWaitSeconds)
      const rates = await listPlaced(db, market, at)
      for (const { account } of accounts()) {
        const rate = rates.find((one) => one.account === account)
        placed.labels(market, account).set(rate?.perMinute ?? 0)
      }
      return false
    },
  }
}

/** Null: one has no limit. */
function paceOf(open: readonly Pick<Market, 'traits'>[]): number | null {
  let sum = 0
  for (const { traits } of open) {
    if (traits.ordersPerMinute === null) return null
    sum += traits.ordersPerMinute
  }
  return sum
}
