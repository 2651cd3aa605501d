// The gateway's statement: one row for each movement of the merchant's balance, oldest first.
import { microsToDecimal } from '../kernel/micros.ts'
import type { GatewayOrder } from './order.ts'

export interface Bill {
  readonly billId: string
  readonly type: 'PAY' | 'REFUND'
  readonly prepayId: string
  readonly merchantTradeNo: string
  readonly currency: string
  readonly amount: string
  readonly fee: string
  readonly time: number
}

export function listBills(
  orders: readonly GatewayOrder[],
  {
    fromMs,
    untilMs,
    feeBps,
  }: { readonly fromMs: number; readonly untilMs: number; readonly feeBps: number },
): Bill[] {
  return orders
    .flatMap((order) => [...paymentBills(order, feeBps), ...refundBills(order)])
    .filter(({ time }) => time >= fromMs && time <= untilMs)
    .sort((one, other) => one.time - other.time || one.billId.localeCompare(other.billId))
}

function paymentBills(order: GatewayOrder, feeBps: number): Bill[] {
  return order.payments
    .filter(({ state }) => state === 'done')
    .map(({ txId, amountMicros, usdtMicros, dueMs }) => {
      const credited = usdtMicros ?? amountMicros
      return {
        billId: txId,
        type: 'PAY',
        prepayId: order.prepayId,
        merchantTradeNo: order.merchantTradeNo,
        currency: order.currency,
        amount: microsToDecimal(credited),
        fee: microsToDecimal(Math.ceil((credited * feeBps) / 10_000)),
        time: dueMs,
      }
    })
}

function refundBills(order: GatewayOrder): Bill[] {
  return order.refunds
    .filter(({ state }) => state === 'REFUND_SUCCESS')
    .map(({ refundId, amountMicros, atMs }) => ({
      billId: refundId,
      type: 'REFUND',
      prepayId: order.prepayId,
      merchantTradeNo: order.merchantTradeNo,
      currency: order.payCurrency,
      amount: microsToDecimal(amountMicros),
      fee: '0',
      time: atMs,
    }))
}
