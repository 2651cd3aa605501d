import type {
  ListMarketOrdersQuery,
  MarketOrderBody,
  MarketOrderChangeBody,
} from '../generated/market-orders.ts'
import type { CallOptions } from '../options.ts'
import { byCursor } from '../pages.ts'
import type { Call } from '../transport.ts'

/** Standing orders to buy an item at no more than a price. */
export const marketOrdersOf = (call: Call) => ({
  /** Idempotent by its `externalId`: retried after a lost response, and answered with the same order. */
  create: (body: MarketOrderBody, options?: CallOptions) =>
    call('createMarketOrder', { body }, options),

  /** Those of the account, newest first. */
  list: (query: ListMarketOrdersQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listMarketOrders', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** With the trades of its fills. */
  get: (orderId: string, options?: CallOptions) =>
    call('getMarketOrder', { params: { orderId } }, options),

  /** Another price, quantity or end. A paused order may go on by it. */
  change: (orderId: string, body: MarketOrderChangeBody, options?: CallOptions) =>
    call('changeMarketOrder', { params: { orderId }, body }, options),

  /** Fills under way run on. Asking again is safe. */
  cancel: (orderId: string, options?: CallOptions) =>
    call('cancelMarketOrder', { params: { orderId } }, options),
})

export type MarketOrders = ReturnType<typeof marketOrdersOf>
