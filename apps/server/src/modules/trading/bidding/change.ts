// What an account does with a market order of its own that is there.
import { isBeyondLimitOf } from '#identity'
import type { Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { refuse } from '#kernel/refusal'
import type { MarketOrder } from './market-order.ts'
import { refuseEnd, refuseField } from './place.ts'
import {
  endOrder,
  findOrder,
  lockOrder,
  type MarketOrderChange,
  type OrderOfAccount,
  updateOrder,
} from './store/orders.ts'

/** Who changes an order, and when. `keyId` null: a person. */
interface Changing {
  readonly keyId: string | null
  readonly at: Date
}

/**
 * What is for sale is looked through again under the new terms, also for an order that was paused
 * for its cost or its recipient. Refuses MARKET_ORDER_NOT_FOUND, MARKET_ORDER_CLOSED,
 * VALIDATION_FAILED for a quantity below what is bought or under way, and for an end that is past
 * or beyond 90 days, and FORBIDDEN to a key with a spend limit that would have more bought by an order
 * whose fills count under another limit, or under none.
 */
export async function changeMarketOrder(
  tx: Tx,
  of: OrderOfAccount,
  change: MarketOrderChange,
  { keyId, at }: Changing,
): Promise<MarketOrder> {
  const order = (await lockOrder(tx, of)) ?? refuse('MARKET_ORDER_NOT_FOUND')
  if (order.status !== 'open' && order.status !== 'paused') return refuse('MARKET_ORDER_CLOSED')
  if (change.expiresAt !== null) refuseEnd(change.expiresAt, at)
  if (change.quantity !== null && change.quantity < order.filled + order.pending) {
    refuseField('/quantity', 'range', 'must not be below what is bought and under way.')
  }
  if (keyId !== null && isMore(order, change) && (await isBeyondLimitOf(tx, keyId, order.keyId))) {
    refuse('FORBIDDEN')
  }
  await updateOrder(tx, of, change, at)
  if (order.filled === (change.quantity ?? order.quantity)) await endOrder(tx, of, 'filled', at)
  return assertDefined(await findOrder(tx, of), 'an order that is locked')
}

/** Whether it may spend more, or for longer, than it might before. */
const isMore = (
  order: Pick<MarketOrder, 'maxPrice' | 'quantity' | 'expiresAt'>,
  { maxPrice, quantity, expiresAt }: MarketOrderChange,
): boolean =>
  (maxPrice !== null && maxPrice > order.maxPrice) ||
  (quantity !== null && quantity > order.quantity) ||
  (expiresAt !== null && expiresAt > order.expiresAt)

/**
 * Fills under way run on. One that was canceled before is answered again. Refuses
 * MARKET_ORDER_NOT_FOUND, and MARKET_ORDER_CLOSED for one that is filled or expired.
 */
export async function cancelMarketOrder(
  tx: Tx,
  of: OrderOfAccount,
  at: Date,
): Promise<MarketOrder> {
  const order = (await lockOrder(tx, of)) ?? refuse('MARKET_ORDER_NOT_FOUND')
  if (order.status === 'filled' || order.status === 'expired') return refuse('MARKET_ORDER_CLOSED')
  await endOrder(tx, of, 'cancelled', at)
  return assertDefined(await findOrder(tx, of), 'an order that is locked')
}
