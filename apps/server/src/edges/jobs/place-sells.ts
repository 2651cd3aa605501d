// Gives accepted sells to bots and sends their offers.
import type { Job } from '#infra/jobs/jobs'
import { createSellPlacing, SELLS_WAIT, type SellPlacingDeps } from '#selling'

export function createPlaceSells(deps: SellPlacingDeps): Job {
  const place = createSellPlacing(deps)
  return {
    name: 'place-sells',
    everyMs: 200,
    due: { question: SELLS_WAIT },
    work: ({ signal }) => place(signal),
  }
}
