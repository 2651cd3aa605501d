// What the gateway announces when an order changes. `data` is JSON inside JSON, as the provider sends it.
import { microsToDecimal } from '../kernel/micros.ts'
import { type GatewayOrder, isConvert, type Payment } from './order.ts'

export interface Announcement {
  readonly bizType: string
  readonly bizId: string
  readonly bizStatus: string
  readonly data: Readonly<Record<string, unknown>>
}

const ENDS: Partial<Record<GatewayOrder['status'], string>> = {
  PAID: 'PAY_SUCCESS',
  EXPIRED: 'PAY_CLOSE',
  CLOSED: 'PAY_CLOSE',
  PROCESS: 'PAY_EXPIRED_IN_PROCESS',
  BLOCK: 'PAY_BLOCK',
  ERROR: 'PAY_EXPIRED_IN_EXCHANGE_FLUCTUATION',
}

export function announcementsOf(
  after: GatewayOrder,
  before: GatewayOrder | null,
): readonly Announcement[] {
  if (before === null) return []
  const moved = after.payments.filter(
    ({ state }, at) =>
      state !== before.payments[at]?.state && (state === 'done' || state === 'delayed'),
  )
  const end = after.status === before.status ? undefined : ENDS[after.status]
  return [
    ...moved.map((payment) => transferOf(after, payment)),
    ...(end === undefined ? [] : [endOf(after, end)]),
    ...after.refunds.slice(before.refunds.length).map(({ refundId, amountMicros, state }) => ({
      bizType: 'PAY_REFUND',
      bizId: refundId,
      bizStatus: state,
      data: {
        refundRequestId: refundId,
        prepayId: after.prepayId,
        merchantTradeNo: after.merchantTradeNo,
        refundAmount: microsToDecimal(amountMicros),
        refundCurrency: after.payCurrency,
      },
    })),
  ]
}

function transferOf(order: GatewayOrder, payment: Payment): Announcement {
  const isDelayed = payment.state === 'delayed'
  return {
    bizType: isDelayed ? 'RECEIVED_CONVERT_DELAY_ADDRESS' : 'TRANSFER_ADDRESS',
    bizId: order.prepayId,
    bizStatus: isDelayed
      ? 'CONVERT_ADDRESS_PAY_DELAY'
      : payment.isLate
        ? 'TRANSFERRED_ADDRESS_DELAY'
        : 'TRANSFERRED_ADDRESS_IN_TERM',
    data: {
      merchantTradeNo: order.merchantTradeNo,
      transactionId: payment.txId,
      currency: order.payCurrency,
      amount: microsToDecimal(payment.amountMicros),
      ...(isConvert(order) ? { orderCurrency: order.currency } : {}),
      fromAddress: payment.fromAddress,
    },
  }
}

const endOf = (order: GatewayOrder, bizStatus: string): Announcement => ({
  bizType: 'PAY_ADDRESS',
  bizId: order.prepayId,
  bizStatus,
  data: {
    address: order.address,
    chain: order.chain,
    createTime: order.createdMs,
    currency: order.currency,
    goodsName: order.goodsName,
    merchantTradeNo: order.merchantTradeNo,
    orderAmount: microsToDecimal(order.orderMicros),
    terminalType: 'APP',
  },
})
