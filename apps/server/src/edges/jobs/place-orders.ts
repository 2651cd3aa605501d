// Places the orders of accepted buys, one job for each market.

import { createPlacing, type PlacingDeps } from '#buying'
import type { Job } from '#infra/jobs/jobs'

export function createPlaceOrders(deps: PlacingDeps): Job {
  const place = createPlacing(deps)
  return {
    name: `place-orders-${deps.market.id}`,
    everyMs: 100,
    work: ({ signal }) => place(signal),
  }
}
