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

/**
 * Looks at the paused orders that are due, and lets those go on whose cause is gone. Of the orders of
 * one account and key it is asked of the one that needs the least first; when that must wait, so must
 * the others.
 */
export async function resumeMarketOrders({ db, clock, currentRate }: ResumingDeps): Promise<void> {
  const at = clock.now()
  const orders = await claimToLook(db, { at, limit: LOOKED_AT_ONCE })
  if (orders.length === 0) return
  const rate = await currentRate().catch((error) => {
    if (error instanceof Refusal) return null
    throw error
  })
  const alike = Map.groupBy(orders, (one) => `${one.accountId} ${one.keyId} ${one.pausedReason}`)
  for (const group of alike.values()) {
    group.sort((a, b) => Number((a.needed ?? 0n) - (b.needed ?? 0n)))
    for (const order of group) {
      if (!(await isCauseGone(db, order, rate, at))) {
        // Of trade URLs each order has its own that failed.
        if (order.pausedReason === 'TRADEURL_INVALID_TOKEN') continue
        break
      }
      await resumeOrder(db, order, order.pausedReason, at)
    }
  }
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
