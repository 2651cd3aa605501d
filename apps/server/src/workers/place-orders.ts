// Places the orders of accepted buys, one job for each market.
import type { Job } from '#platform/lease'
import { createPlacing, type PlacingDeps } from '#trading'

export const createPlaceOrders = (deps: PlacingDeps): Job => ({
  name: `place-orders-${deps.market.id}`,
  everyMs: 100,
  work: createPlacing(deps),
})
