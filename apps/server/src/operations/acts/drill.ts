// What an operator buys to try a market, outside of every trade.
import type { Actor } from '#audit'
import type { Mills } from '#kernel/money'
import { type ActDeps, perform } from './act.ts'

/** Committed before the purchase is sent: its order at the market is found by its id. */
export const recordDrillPurchase = (
  deps: ActDeps,
  actor: Actor,
  { market, ...purchase }: DrillPurchase,
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'drill.buy', subject: { type: 'market', id: market }, details: { ...purchase } },
    async () => {},
  )

interface DrillPurchase {
  readonly market: string
  readonly customId: string
  readonly rawListingId: string
  readonly marketHashName: string
  readonly ceilingMills: Mills
}
