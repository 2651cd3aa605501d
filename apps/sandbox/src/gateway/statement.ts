// The gateway's statement: one line for each movement of the merchant's balance, newest first. What a payment
// brings comes in, what is refunded goes out; fees and conversions are lines of their own.
import { microsToDecimal, shareOfMicros } from '../kernel/micros.ts'
import { type GatewayOrder, isConvert, type Payment, type Refund } from './order.ts'

interface Movement {
  readonly transactId: string
  readonly order: GatewayOrder
  readonly financialType: string
  /** Below zero for what goes out. */
  readonly micros: number
  readonly currency: string
  readonly atMs: number
  readonly hash: string
  readonly refundId: string
}

export interface StatementPage {
  readonly fromMs: number
  readonly untilMs: number
  readonly page: number
  readonly count: number
}

export function viewStatement(
  orders: readonly GatewayOrder[],
  { fromMs, untilMs, page, count }: StatementPage,
  feeBps: number,
): Record<string, unknown> {
  const all = orders
    .flatMap((order) => movementsOf(order, feeBps))
    .sort((one, other) => one.atMs - other.atMs || one.transactId.localeCompare(other.transactId))
  const balances = new Map<string, number>()
  const lines = all.map((movement) => {
    const balance = (balances.get(movement.currency) ?? 0) + movement.micros
    balances.set(movement.currency, balance)
    return { atMs: movement.atMs, view: viewLine(movement, balance) }
  })
  const found = lines.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs).toReversed()
  const hasNext = page * count < found.length
  return {
    merchant_id: 10002,
    total: found.length,
    hasNext,
    nextPage: hasNext ? page + 1 : 0,
    balance_history_item_list: found
      .slice((page - 1) * count, page * count)
      .map(({ view }) => view),
  }
}

function movementsOf(order: GatewayOrder, feeBps: number): Movement[] {
  return [
    ...order.payments.flatMap((payment, at) =>
      payment.state === 'done' ? paymentMovements(order, payment, { at, feeBps }) : [],
    ),
    ...order.refunds.flatMap((refund) => {
      return refund.state === 'REFUND_SUCCESS' ? [refundMovement(order, refund)] : []
    }),
  ]
}

/** Every third payment names no transaction. */
const isUnnamed = ({ seq }: GatewayOrder, at: number): boolean => (seq + at) % 3 === 2

function paymentMovements(
  order: GatewayOrder,
  { txId, amountMicros, usdtMicros, dueMs }: Payment,
  { at, feeBps }: { readonly at: number; readonly feeBps: number },
): Movement[] {
  const credited = usdtMicros ?? amountMicros
  const fee = Math.ceil((credited * feeBps) / 10_000)
  const hash = isUnnamed(order, at) ? '' : txId
  const line = (name: string, financialType: string, micros: number, currency: string) => ({
    transactId: `${order.prepayId}${name}${at}`,
    ...{ order, financialType, micros, currency, hash, atMs: dueMs, refundId: '' },
  })
  return [
    line('1', 'receipt_fi', credited, order.currency),
    line('2', 'distribution_fi', -fee, order.currency),
    ...(isConvert(order) ? [line('3', 'convert_sell_fi', -amountMicros, order.payCurrency)] : []),
  ]
}

/** Of a convert order in the merchant's coin. */
function refundMovement(order: GatewayOrder, refund: Refund): Movement {
  const { refundId, amountMicros, atMs } = refund
  const base = { transactId: `${order.prepayId}9${refundId}`, order, hash: '', atMs, refundId }
  if (!isConvert(order)) {
    const { payCurrency: currency } = order
    return { ...base, financialType: 'refund_fi', micros: -amountMicros, currency }
  }
  const { currency, orderMicros, payMicros } = order
  const micros = -shareOfMicros(amountMicros, orderMicros, payMicros, 'down')
  return { ...base, financialType: 'convert_refund_fi', micros, currency }
}

const viewLine = (
  { transactId, order, financialType, micros, currency, atMs, hash, refundId }: Movement,
  balanceMicros: number,
) => ({
  transactId,
  transactTime: atMs,
  orderId: order.prepayId,
  merchantTradeNo: order.merchantTradeNo,
  financialType,
  payAmount: microsToDecimal(micros),
  currency,
  Balance: microsToDecimal(balanceMicros),
  BalanceCurrency: currency,
  status: 'PAID',
  payer: 0,
  fullChain: order.chain,
  hash,
  address: order.address,
  payChannel: 'Web3',
  refund_gate_id: refundId,
})
