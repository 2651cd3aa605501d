// A heartbeat every ten seconds: this process works for a market, our last known balance there, and the state
// of the process's breaker.

import { countQueues, type MarketId } from '#buying'
import type { Catalog } from '#catalog'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { forgetWorker, type WorkerBeat, writeBeat } from '#operations'

export interface BeatMarketDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly catalog: Pick<Catalog, 'listMarkets'>
  readonly market: MarketId
  breakerState(): WorkerBeat['breaker']
}

const EVERY_MS = 10_000

export function createBeatMarket(deps: BeatMarketDeps): Job {
  const { db, clock, metrics, catalog, market, breakerState } = deps
  const depth = metrics.gauge('market_queue_depth', 'Items that wait to be placed or looked up', [
    'market',
    'queue',
  ])
  let workerId: string | null = null
  return {
    name: `beat-${market}`,
    everyMs: EVERY_MS,
    work: async ({ processId }) => {
      workerId = processId
      const state = (await catalog.listMarkets()).find(({ id }) => id === market)
      await writeBeat(db, {
        market,
        workerId: processId,
        beatAt: clock.now(),
        balanceMills: state?.balanceMills ?? null,
        breaker: breakerState(),
      })
      const queues = await countQueues(db)
      for (const work of ['place', 'follow'] as const) {
        const queue = queues.find((each) => each.market === market && each.work === work)
        depth.labels(market, work).set(queue?.due ?? 0)
      }
      return false
    },
    atEnd: async () => {
      if (workerId !== null) await forgetWorker(db, { market, workerId, at: clock.now() })
    },
  }
}
