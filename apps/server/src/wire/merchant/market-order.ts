// The merchant interface's view of a market order; HTTP and webhooks share it.
import type { MarketOrderDepth, MarketOrder as MarketOrderShape } from '@tradepost/contract'
import type { DepthLevel, MarketOrder } from '#bidding'
import type { Currency } from '#kernel/money'
import { moneyNumber } from '../money.ts'

export const marketOrderView = (order: MarketOrder): MarketOrderShape => ({
  id: order.id,
  externalId: order.externalId,
  userId: order.accountId,
  userExternalId: order.userExternalId,
  itemId: order.itemId,
  marketHashName: order.marketHashName,
  status: order.status,
  pausedReason: order.pausedReason,
  maxPrice: moneyNumber(order.maxPrice),
  currency: order.currency,
  quantity: order.quantity,
  filled: order.filled,
  pending: order.pending,
  filters: order.filters as MarketOrderShape['filters'],
  tradeUrl: order.tradeUrl,
  trades: [...order.tradeIds],
  expiresAt: order.expiresAt.toISOString(),
  createdAt: order.createdAt.toISOString(),
  updatedAt: order.updatedAt.toISOString(),
})

/** So many prices of an item are shown, the highest first. */
export const DEPTH_LEVELS = 20

export const depthView = (currency: Currency, levels: readonly DepthLevel[]): MarketOrderDepth => ({
  currency,
  levels: levels.map(({ maxPrice, quantity }) => ({ maxPrice: moneyNumber(maxPrice), quantity })),
})
