// The merchant interface's view of a market order; HTTP and webhooks share it.
import type { MarketOrder as MarketOrderShape } from '@tradepost/contract'
import type { MarketOrder } from '#bidding'
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
