// Our accounts at the markets: what they hold, how the market answers, what waits there.
import { countQueues } from '#buying'
import type { MarketState } from '#catalog'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type CallPace, readCallPaces } from '#reconciliation'

export interface Supplier extends MarketState {
  readonly waiting: number
  readonly following: number
  readonly calls: readonly CallPace[]
}

const PACE_MS = 600_000

export async function readSuppliers({
  db,
  clock,
  listMarkets,
}: {
  readonly db: Db
  readonly clock: Clock
  listMarkets(): Promise<readonly MarketState[]>
}): Promise<Supplier[]> {
  const since = new Date(clock.now().getTime() - PACE_MS)
  const [markets, queues, paces] = await Promise.all([
    listMarkets(),
    countQueues(db),
    readCallPaces(db, since),
  ])
  return markets.map((market) => {
    const countOf = (work: 'place' | 'follow'): number =>
      queues.find((queue) => queue.market === market.id && queue.work === work)?.count ?? 0
    return {
      ...market,
      waiting: countOf('place'),
      following: countOf('follow'),
      calls: paces.filter((pace) => pace.market === market.id),
    }
  })
}
