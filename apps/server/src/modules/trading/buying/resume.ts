// Paused market orders: whether the cause is gone.
import { claimToLook, type LookedAt, resumeOrder } from '#bidding'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { Refusal } from '#kernel/refusal'
import type { RateDeps } from '#pricing'
import { wouldReachLimit } from './store/limits.ts'

export interface ResumingDeps extends RateDeps {
  readonly db: Db
  readonly clock: Clock
}

const LOOKED_AT_ONCE = 200
const AGAIN_MS = 3000

/**
 * Looks at paused orders that are due, and lets those go on whose cause is gone; true: there may be
 * more due.
 */
export async function resumeMarketOrders({
  db,
  clock,
  currentRate,
}: ResumingDeps): Promise<boolean> {
  const at = clock.now()
  const next = new Date(at.getTime() + AGAIN_MS)
  const orders = await claimToLook(db, { at, limit: LOOKED_AT_ONCE, next })
  if (orders.length === 0) return false
  const rate = await currentRate().catch((error) => {
    if (error instanceof Refusal) return null
    throw error
  })
  for (const order of orders) {
    if (await isCauseGone(db, order, rate, at)) await resumeOrder(db, order, order.pausedReason, at)
  }
  return orders.length === LOOKED_AT_ONCE
}

async function isCauseGone(
  db: Db,
  { accountId, keyId, currency, pausedReason, needed, balance, hasOtherUrl }: LookedAt,
  usdPerEurMicros: bigint | null,
  at: Date,
): Promise<boolean> {
  switch (pausedReason) {
    case 'INSUFFICIENT_BALANCE':
      return balance >= (needed ?? 0n)
    case 'TRADEURL_INVALID_TOKEN':
      return hasOtherUrl
    case 'SPENDING_LIMIT_REACHED': {
      if (currency === 'EUR' && usdPerEurMicros === null) return false
      const prices = needed === null ? [] : [needed]
      const buyer = { accountId, keyId, currency }
      return !(await wouldReachLimit(db, buyer, { prices, usdPerEurMicros, at }))
    }
    default:
      return false
  }
}
