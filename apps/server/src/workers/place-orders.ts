// Places the orders of accepted buys, one job for each market.
import type { Job } from '#infra/lease'
import { createPlacing, type PlacingDeps } from '#trading'

export function createPlaceOrders(deps: PlacingDeps): Job {
  const place = createPlacing(deps)
  return {
    name: `place-orders-${deps.market.id}`,
    everyMs: 100,
    work: ({ signal }) => place(signal),
  }
}
