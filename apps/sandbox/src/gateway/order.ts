// One prepay order at an address of its own, and the decisions about it. Payments add up; what arrives is
// credited to the merchant whatever has become of the order.
import { shareOfMicros } from '../kernel/micros.ts'

export type OrderStatus =
  | 'PENDING'
  /** Enough was paid before the end, and is not confirmed yet. */
  | 'PROCESS'
  | 'PAID'
  | 'EXPIRED'
  | 'CLOSED'
  /** Held back by the gateway's compliance. */
  | 'BLOCK'
  /** The conversion failed because the rate moved. */
  | 'ERROR'

export interface Payment {
  readonly txId: string
  readonly fromAddress: string
  readonly amountMicros: number
  readonly arrivedMs: number
  readonly dueMs: number
  /** `delayed`: confirmed, and its conversion is still to come. */
  readonly state: 'confirming' | 'delayed' | 'done' | 'blocked' | 'unconverted'
  /** What a convert order made of it, in millionths of a USDT; null until then, and for direct orders. */
  readonly usdtMicros: number | null
  readonly isLate: boolean
  /** What a script does to this payment. */
  readonly fault: PaymentFault | null
}

export type PaymentFault =
  | { readonly kind: 'conversion_delay'; readonly durationMs: number }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'exchange_failed' }

export interface Refund {
  readonly refundId: string
  readonly amountMicros: number
  readonly state: 'REFUND_PROCESS' | 'REFUND_SUCCESS' | 'REFUND_REJECTED'
  readonly atMs: number
}

export interface GatewayOrder {
  readonly seq: number
  readonly prepayId: string
  readonly merchantTradeNo: string
  readonly merchantUserId: string
  readonly goodsName: string
  readonly chain: string
  readonly fullCurrType: string
  readonly address: string
  /** What the merchant is credited in. */
  readonly currency: string
  readonly orderMicros: number
  /** What the payer sends; another currency for a convert order. */
  readonly payCurrency: string
  readonly payMicros: number
  readonly createdMs: number
  readonly expireMs: number
  readonly status: OrderStatus
  readonly transactMs: number | null
  readonly payments: readonly Payment[]
  readonly refunds: readonly Refund[]
}

export const isConvert = ({ currency, payCurrency }: GatewayOrder): boolean =>
  currency !== payCurrency

const isOpen = ({ status }: GatewayOrder): boolean => status === 'PENDING' || status === 'PROCESS'

const sumOf = (order: GatewayOrder, states: readonly Payment['state'][]): number =>
  order.payments
    .filter(({ state, isLate }) => states.includes(state) && !isLate)
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0)

/** The order after a payment was seen in a block. */
export const withPayment = (order: GatewayOrder, payment: Payment): GatewayOrder => ({
  ...order,
  payments: [...order.payments, { ...payment, isLate: !isOpen(order) }],
})

/** The order after its time has run out; nothing changes for one that has ended. */
export function afterExpiry(order: GatewayOrder): GatewayOrder {
  if (order.status !== 'PENDING') return order
  const coming = sumOf(order, ['confirming', 'delayed', 'done'])
  return { ...order, status: coming >= order.payMicros ? 'PROCESS' : 'EXPIRED' }
}

/** The order after a payment's own time has come: confirmed, then perhaps converted. */
export function afterPaymentDue(
  order: GatewayOrder,
  at: number,
  {
    nowMs,
    convertMs,
    nowPriceMicros,
  }: { readonly nowMs: number; readonly convertMs: number; readonly nowPriceMicros: number },
): GatewayOrder {
  const payment = order.payments[at]
  if (payment === undefined) return order
  const settled = settle(order, payment, { nowMs, convertMs, nowPriceMicros })
  const payments = order.payments.map((one, index) => (index === at ? settled : one))
  const after = { ...order, payments }
  if (settled.state === 'blocked') return ended(after, 'BLOCK', nowMs)
  if (settled.state === 'unconverted') return ended(after, 'ERROR', nowMs)
  if (isOpen(order) && sumOf(after, ['done']) >= order.payMicros) return ended(after, 'PAID', nowMs)
  return after
}

const ended = (order: GatewayOrder, status: OrderStatus, nowMs: number): GatewayOrder =>
  isOpen(order) ? { ...order, status, transactMs: nowMs } : order

function settle(
  order: GatewayOrder,
  payment: Payment,
  {
    nowMs,
    convertMs,
    nowPriceMicros,
  }: { readonly nowMs: number; readonly convertMs: number; readonly nowPriceMicros: number },
): Payment {
  const { fault, amountMicros } = payment
  if (payment.state === 'confirming' && fault?.kind === 'blocked') {
    return { ...payment, state: 'blocked' }
  }
  if (!isConvert(order)) return { ...payment, state: 'done' }
  if (payment.state === 'confirming' && fault?.kind === 'exchange_failed') {
    return { ...payment, state: 'unconverted' }
  }
  const delayMs =
    fault?.kind === 'conversion_delay' ? fault.durationMs : payment.isLate ? convertMs : 0
  if (payment.state === 'confirming' && delayMs > 0) {
    return { ...payment, state: 'delayed', dueMs: nowMs + delayMs }
  }
  // In its time at the rate of the order; after it at the rate of the moment. Rounded down.
  const usdtMicros = payment.isLate
    ? shareOfMicros(amountMicros, nowPriceMicros, 1_000_000, 'down')
    : shareOfMicros(amountMicros, order.orderMicros, order.payMicros, 'down')
  return { ...payment, state: 'done', usdtMicros }
}

/** What the merchant was credited before the fee, in the order's currency. */
export const creditedMicros = (order: GatewayOrder): number =>
  order.payments
    .filter(({ state }) => state === 'done')
    .reduce((sum, { amountMicros, usdtMicros }) => sum + (usdtMicros ?? amountMicros), 0)
