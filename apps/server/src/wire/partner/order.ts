// An order as the partner interface shows it: a trade of one item. HTTP and events share it.
import type { OrderStatusCode, PartnerOrder, PartnerTransaction } from '@tradepost/contract'
import { assertDefined } from '#kernel/assert'
import { cents } from '#kernel/money'
import { STATUSES, type Status, type Trade, type TradeItem, type TradeMovement } from '#trades'
import { moneyNumber } from '../money.ts'

export const ORDER_STATUS: Readonly<Record<Status, OrderStatusCode>> = {
  initiated: 'INITIATED',
  pending: 'PENDING',
  active: 'ACTIVE',
  hold: 'HOLD',
  completed: 'COMPLETED',
  failed: 'FAILED',
  canceled: 'FAILED',
  declined: 'FAILED',
  reverted: 'REVERTED',
}

/** The states of a trade that an order shows as this one. */
export const tradeStatusesOf = (code: OrderStatusCode): readonly Status[] =>
  STATUSES.filter((status) => ORDER_STATUS[status] === code)

export function orderView(trade: Trade): PartnerOrder {
  const item = assertDefined(trade.items[0], 'the item of an order')
  const code = ORDER_STATUS[trade.status]
  return {
    id: trade.id,
    item: item.description.marketHashName,
    itemId: item.catalogItemId,
    amount: moneyNumber(trade.total),
    currency: 'USD',
    status: { code, label: code.charAt(0) + code.slice(1).toLowerCase() },
    timestamp: trade.createdAt.toISOString(),
    cancelType: CANCEL_TYPE[item.status] ?? 0,
    cancelReason: cancelReasonOf(item),
    settlementTime: (item.settledAt ?? item.holdEndsAt)?.toISOString() ?? null,
    protectedCauser: item.revertedBy === null ? 0 : item.revertedBy === 'user' ? 1 : 2,
  }
}

/** 1 the buyer's fault, 2 the seller's or the market's, 4 the platform: no caller of ours cancels orders. */
const CANCEL_TYPE: Partial<Record<Status, number>> = { declined: 1, failed: 2, canceled: 4 }

function cancelReasonOf({ status, failure }: TradeItem): string | null {
  if (status === 'canceled') return 'CANCELED'
  return status === 'failed' || status === 'declined' ? failure : null
}

export function transactionView({ trade, type, at }: TradeMovement): PartnerTransaction {
  const item = assertDefined(trade.items[0], 'the item of an order')
  const fee = cents(item.houseFee + item.merchantFee)
  const { wear } = item.description
  return {
    id: type === 'purchase' ? trade.id : item.id,
    itemId: item.catalogItemId,
    itemName: item.description.marketHashName,
    float: wear === null ? null : Number(wear),
    price: moneyNumber(cents(item.price - fee)),
    fee: moneyNumber(fee),
    amount: moneyNumber(type === 'purchase' ? item.price : (item.refund?.refunded ?? cents(0n))),
    type,
    status: ORDER_STATUS[trade.status],
    timestamp: at.toISOString(),
  }
}
