// Gives accepted sells to bots and sends their offers.
import type { Job } from '#infra/jobs/jobs'
import { createSellPlacing, type SellPlacingDeps } from '#selling'

export function createPlaceSells(deps: SellPlacingDeps): Job {
  const place = createSellPlacing(deps)
  return { name: 'place-sells', everyMs: 200, work: ({ signal }) => place(signal) }
}
