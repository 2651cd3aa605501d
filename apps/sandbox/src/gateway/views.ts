// The gateway's own shapes: amounts are decimal text, times epoch milliseconds or UTC without a zone.
import { microsToDecimal } from '../kernel/micros.ts'
import { creditedMicros, type GatewayOrder, isConvert, type Payment } from './order.ts'
import { feeMicros } from './orders.ts'
import type { QueryFault } from './script.ts'

export const viewCreated = (order: GatewayOrder): Record<string, unknown> => ({
  prepayId: order.prepayId,
  terminalType: 'APP',
  expireTime: order.expireMs,
  chain: { chain_type: order.chain, fullCurrType: order.fullCurrType, address: order.address },
})

export function viewOrder(
  order: GatewayOrder,
  {
    feeBps,
    fault,
    isListed,
  }: {
    readonly feeBps: number
    readonly fault: QueryFault | null
    /** Whether each transaction is listed, or their sum alone. */
    readonly isListed: boolean
  },
): Record<string, unknown> {
  const done = order.payments.filter(({ state }) => state === 'done')
  const total = microsToDecimal(done.reduce((sum, { amountMicros }) => sum + amountMicros, 0))
  const fee = feeMicros(order, feeBps)
  const doneItems = done.map((payment) => viewPayment(order, payment))
  const confirming = order.payments.filter(({ state }) => state === 'confirming')
  const delayed = order.payments.filter(({ state }) => state === 'delayed')
  return {
    prepayId: fault?.kind === 'other_order' ? '1' : order.prepayId,
    merchantId: 10002,
    merchantTradeNo: fault?.kind === 'other_order' ? 'another' : order.merchantTradeNo,
    transactionId: '',
    goodsName: order.goodsName,
    currency: order.currency,
    orderAmount: microsToDecimal(order.orderMicros),
    payCurrency: order.payCurrency,
    payAmount: microsToDecimal(order.payMicros),
    status: order.status,
    createTime: order.createdMs,
    expireTime: order.expireMs,
    transactTime: order.transactMs ?? 0,
    totalFeeAmount: microsToDecimal(fee),
    totalSettleAmount: microsToDecimal(creditedMicros(order) - fee),
    chain: order.chain,
    fullCurrType: order.fullCurrType,
    address: order.address,
    transaction_info: {
      done_amount: total,
      done_amount_total: fault?.kind === 'false_total' ? fault.amount : total,
      confirming_list: confirming.map(({ amountMicros }) => ({
        amount: microsToDecimal(amountMicros),
        confirm: 1,
      })),
      ...(isListed
        ? {
            done_tx_item_list:
              fault?.kind === 'false_payment'
                ? [...doneItems, { ...viewFalsePayment(order), amount: fault.amount }]
                : doneItems,
            confirming_tx_item_list: confirming.map((payment) => viewPayment(order, payment)),
          }
        : {}),
      delay_tx_item_list: delayed.map((payment) => viewPayment(order, payment)),
    },
    refundList: order.refunds.map(({ refundId, amountMicros, state }) => ({
      refundRequestId: refundId,
      refundAmount: microsToDecimal(amountMicros),
      status: state,
    })),
  }
}

/** The transactions of an order, those that came in its time and those that came after it. */
export function viewTransactions(order: GatewayOrder): Record<string, unknown> {
  const term = (isLate: boolean) => {
    const own = order.payments.filter((payment) => payment.isLate === isLate)
    const listed = (states: readonly Payment['state'][]) => {
      const payments = own.filter(({ state }) => states.includes(state))
      const micros = payments.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
      const txList = payments.map((payment) => viewPayment(order, payment))
      return { amount: microsToDecimal(micros), txList }
    }
    return { done: listed(['done']), wait: listed(['confirming', 'delayed']) }
  }
  return {
    prepayId: order.prepayId,
    merchantId: 10002,
    merchantTradeNo: order.merchantTradeNo,
    currency: order.currency,
    orderAmount: microsToDecimal(order.orderMicros),
    payCurrency: order.payCurrency,
    payAmount: microsToDecimal(order.payMicros),
    status: order.status,
    transactionDetail: { inTerm: term(false), outOfTerm: term(true) },
  }
}

function viewPayment(order: GatewayOrder, payment: Payment): Record<string, unknown> {
  return {
    chain: order.chain,
    address: order.address,
    fullCurrType: order.fullCurrType,
    amount: microsToDecimal(payment.amountMicros),
    ...(isConvert(order) && payment.usdtMicros !== null
      ? { inUsdt: microsToDecimal(payment.usdtMicros) }
      : {}),
    txId: payment.txId,
    utcCreateTime: utc(payment.arrivedMs),
    utcUpdateTime: utc(payment.dueMs),
    fromAddress: payment.fromAddress,
  }
}

const viewFalsePayment = (order: GatewayOrder): Record<string, unknown> => ({
  chain: order.chain,
  address: order.address,
  fullCurrType: order.fullCurrType,
  txId: `0x${'f'.repeat(64)}`,
  utcCreateTime: utc(order.createdMs),
  utcUpdateTime: utc(order.createdMs),
  fromAddress: '',
})

const utc = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
