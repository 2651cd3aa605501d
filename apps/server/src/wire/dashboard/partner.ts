// The dashboard's views of a partner's children, what they buy, the money that moves to them, and fees.
import type {
  DashboardChild,
  DashboardOrder,
  DashboardTransfer,
  OrderStatusCode,
  PartnerFees,
  PartnerOverview,
} from '@tradepost/contract'
import type { ListedChild } from '#identity'
import type { Cents } from '#kernel/money'
import type { Entry } from '#ledger'
import type { EffectivePartnerFees } from '#pricing'
import type { Trade } from '#trades'
import { moneyNumber } from '../money.ts'
import { ORDER_STATUS, orderView } from '../partner/order.ts'
import { type OverviewData, overviewView } from './merchant.ts'

/** As a merchant's, with the states of orders. */
export function partnerOverviewView(data: OverviewData): PartnerOverview {
  const byStatus: Partial<Record<OrderStatusCode, number>> = {}
  for (const { status, tradeCount } of data.figures) {
    const code = ORDER_STATUS[status]
    byStatus[code] = (byStatus[code] ?? 0) + tradeCount
  }
  return { ...overviewView(data), byStatus }
}

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

/** Of a row in the partner's ledger or in the child's; `child` is null when it is none of the partner's. */
export const transferListItemView = (
  { id, type, amount, externalRef, occurredAt }: Entry,
  child: ListedChild | null,
): DashboardTransfer => ({
  id,
  childId: child?.id ?? null,
  email: child?.email ?? null,
  amount: type === 'fund_out' ? -moneyNumber(amount) : moneyNumber(amount),
  reference: externalRef,
  occurredAt: occurredAt.toISOString(),
})

/** Of the partner's own account; `buyFeeBps` null: none was set. */
export const partnerFeesView = (
  { houseFeeBps, houseFeeOf }: EffectivePartnerFees,
  {
    buyFeeBps,
    withdrawFeeBps,
  }: { readonly buyFeeBps: number | null; readonly withdrawFeeBps: number },
): PartnerFees => ({
  platformFeeBps: houseFeeBps,
  isAgreed: houseFeeOf === 'account',
  partnerFeeBps: buyFeeBps ?? 0,
  withdrawFeeBps,
})
