// Places the orders of accepted buys, one job for each account at a market.

import { createPlacing, PLACEMENTS_DUE, type PlacingDeps } from '#buying'
import type { Job } from '#infra/jobs/jobs'
import { jobOf } from './job-of.ts'

export function createPlaceOrders(deps: PlacingDeps): Job {
  const place = createPlacing(deps)
  return {
    name: jobOf('place-orders', deps.market),
    everyMs: 100,
    due: { question: PLACEMENTS_DUE, key: deps.market.id },
    work: ({ signal }) => place(signal),
  }
}
