// Cancels that a request could not bring to the supplier in time: tried until the supplier has answered, or
// the item is no longer pending.

import { allEnded } from '#kernel/all-ended'
import { type CancelOrderDeps, cancelOrder } from './cancel-order.ts'
import type { Market } from './ports.ts'
import { claimCancels, type DueCancel, scheduleCancels, settleCancel } from './store/cancel.ts'

export interface FinishCancelsDeps extends CancelOrderDeps {
  readonly market: Market
  /** Longer than a call with its wait for a turn. */
  readonly leaseMs: number
}

const AT_ONCE = 8
/**
 * How long a cancel waits for its turn before it makes way for the next one: longer than a purchase, so that
 * purchases do not take all turns before it. How many cancels may have is the market's adapter's to bound.
 */
const PATIENCE_MS = 12_000

/** Does one round; true when there may be more to do at once. */
export function createFinishCancels(deps: FinishCancelsDeps): () => Promise<boolean> {
  return async () => {
    const { db, clock, market, leaseMs } = deps
    const at = clock.now()
    const leaseUntil = new Date(at.getTime() + leaseMs)
    const due = await claimCancels(db, {
      ...{ market: market.id, account: market.account, at, leaseUntil },
      limit: AT_ONCE,
    })
    await allEnded(due.map((cancel) => finish(deps, cancel)))
    return due.length === AT_ONCE
  }
}

async function finish(deps: FinishCancelsDeps, { requestId, ...item }: DueCancel): Promise<void> {
  const { db, clock, market } = deps
  if (item.status !== 'pending' || item.order === null) return settleCancel(db, item.id)
  const giveUpAt = clock.now().getTime() + PATIENCE_MS
  const verdict = await cancelOrder(deps, market, item, { requestId, giveUpAt })
  if (verdict !== 'not-sent' && verdict !== 'unknown') return settleCancel(db, item.id)
  const dueAt = new Date(clock.now().getTime() + market.traits.pollMs)
  await scheduleCancels(db, [item.id], dueAt)
}
