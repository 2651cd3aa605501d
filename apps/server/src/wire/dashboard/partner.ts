// The dashboard's views of a partner's children and of what they buy.
import type { DashboardChild, DashboardOrder } from '@tradepost/contract'
import type { ListedChild } from '#identity'
import type { Cents } from '#kernel/money'
import type { Trade } from '#trades'
import { moneyNumber } from '../money.ts'
import { orderView } from '../partner/order.ts'

export const dashboardChildView = (child: ListedChild, balance: Cents): DashboardChild => ({
  id: child.id,
  apiKeyId: child.firstKeyId,
  email: child.email,
  name: child.name,
  status: child.status,
  balance: moneyNumber(balance),
  createdAt: child.createdAt.toISOString(),
})

/** `email` is the child's, null for the partner's own order. */
export const dashboardOrderView = (trade: Trade, email: string | null): DashboardOrder => ({
  ...orderView(trade),
  accountId: trade.accountId,
  email,
})
