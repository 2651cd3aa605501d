// Unmatched purchases: orders that a supplier took, or goes on with, for items that have ended without them.
// One costs real money, so it is reported at once, however it was found.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import type { Mills } from '#kernel/money'
import type { OnCase } from '#trades'
import { queryOf } from './item.ts'
import type { Market } from './ports.ts'
import { claimWatched, readOrder, recordOrder } from './store/orders.ts'

export interface UnmatchedPurchaseDeps {
  readonly db: Db
  readonly onCase: OnCase
}

/** An order that the supplier has, as it says itself. */
export interface SeenOrder {
  readonly itemId: string
  readonly customId: string
  readonly market: string
  readonly orderId: string
  readonly paidMills: Mills | null
  /** What was seen: the supplier's answer, or the state that it gives the order. */
  readonly seen: string
}

/** For an order that could not be recorded as placed: reports it, unless it is known or its item has it. */
export async function reportIfUnmatched(
  { db, onCase }: UnmatchedPurchaseDeps,
  order: SeenOrder,
): Promise<void> {
  const { itemId, customId, market, orderId, paidMills, seen } = order
  const known = await readOrder(db, order)
  const isOfItem = known.state === 'placed' && known.isLive
  if (known.state === 'orphan' || (isOfItem && known.orderId === orderId)) return
  // The case first: after a crash it is reported again, not forgotten.
  await onCase('orphan_purchase', { itemId, market, orderId }, { state: seen })
  if (!isOfItem)
    await recordOrder(db, { itemId, customId }, { state: 'orphan', orderId, paidMills })
}

export interface UnmatchedWatchDeps extends UnmatchedPurchaseDeps {
  readonly clock: Clock
  readonly market: Market
  /** For so long a lost order is looked for after its item has ended: a day. */
  readonly watchMs: number
}

/** An order in these states delivers nothing, and its money comes back. */
const HARMLESS: readonly string[] = ['failed', 'canceled']
/** An order that its item has followed to one of these goes on with nothing either. */
const ENDED: readonly string[] = [...HARMLESS, 'declined', 'reverted', 'contested']

/**
 * Looks for the orders of items that have ended without them, and for those that their supplier has called
 * failed or canceled and goes on with all the same.
 */
export function createUnmatchedWatch(deps: UnmatchedWatchDeps): () => Promise<boolean> {
  return async () => {
    const { db, clock, market, watchMs } = deps
    const at = clock.now()
    const watched = await claimWatched(db, {
      market: market.id,
      account: market.account,
      after: new Date(at.getTime() - watchMs),
      // What a supplier shows a moment after an order has ended may be older than its end.
      seenBefore: new Date(at.getTime() - market.traits.lookUpSettleMs),
      limit: market.traits.lookUpBatch,
      at,
    })
    if (watched.length === 0) return false
    const answer = await market.lookUp(watched.map(queryOf), {
      requestId: assertDefined(watched[0], 'watched').item.requestId,
    })
    if (answer.kind === 'unavailable') return false
    for (const { item, order } of watched) {
      const update = answer.orders.get(order.customId)
      if (update === undefined || update === 'absent') continue
      const harmless = order.state === 'placed' ? ENDED : HARMLESS
      if (harmless.includes(update.state)) continue
      await reportIfUnmatched(deps, {
        itemId: item.id,
        customId: order.customId,
        market: item.market,
        orderId: update.orderId,
        paidMills: update.paidMills,
        seen: update.state,
      })
    }
    return false
  }
}
