import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody, readPartyChange } from '../control/body.ts'
import { decimalToMicros, microsToDecimal } from '../kernel/micros.ts'
import type { NoticeSender } from '../notices/sender.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import { parseProviderEvent } from '../party/fault-script.ts'
import { serveFaultScript } from '../party/script-controls.ts'
import type { Switches } from '../party/switches.ts'
import type { PaymentLists } from './lists.ts'
import type { GatewayOrder, PaymentFault, Refund } from './order.ts'
import { type GatewayOrders, paidMicros } from './orders.ts'
import { parsePaymentWord, type Queue, queueOf } from './script.ts'

export interface GatewayControlDeps {
  readonly orders: GatewayOrders
  readonly faults: FaultQueues<Queue>
  readonly lists: PaymentLists
  readonly notices: NoticeSender
  readonly switches: Switches
  readonly nowMs: () => number
}

export function serveGatewayControls(app: FastifyInstance, deps: GatewayControlDeps): void {
  const { orders, faults, lists, notices, switches } = deps
  /** `online`, `latencyMs`, `paymentLists` (false: a look-up names the sum of payments alone) */
  app.put('/gateway', (request) => {
    const body = readBody(request.body, ['online', 'latencyMs', 'paymentLists'])
    const { paymentLists } = body
    if (paymentLists !== undefined) {
      if (typeof paymentLists !== 'boolean') {
        throw new ControlFault(400, 'paymentLists must be true or false.')
      }
      lists.show(paymentLists)
    }
    return { ...switches.set('gateway', readPartyChange(body)), paymentLists: lists.areShown() }
  })
  /** The newest 200 */
  app.get('/gateway/orders', () => ({ items: orders.all().slice(0, 200).map(viewForControl) }))
  /** What was sent to the service */
  app.get('/gateway/notices', () => ({ items: notices.list() }))
  /** Pays `amount`, or what is missing; `txId` lets one transaction pay several orders */
  app.post('/gateway/:id/pay', (request) => {
    const order = orderOf(orders, request.params)
    const { amount, txId = null } = readBody(request.body ?? {}, ['amount', 'txId'])
    const micros = amount === undefined ? missingOf(order) : amountOf(amount)
    if (txId !== null && !(typeof txId === 'string' && /^0x[0-9a-f]{64}$/.test(txId))) {
      throw new ControlFault(400, 'txId is 0x and 64 lower-case hex digits.')
    }
    const fault = paymentFault(faults.take('payment'))
    return viewForControl(orders.pay(order, micros, { fault, txId }))
  })
  /** Ends the order */
  app.post('/gateway/:id/expire', (request) => {
    const order = orderOf(orders, request.params)
    const after = orders.expire(order)
    if (after === order) throw new ControlFault(409, `The order is ${order.status}.`)
    return viewForControl(after)
  })
  /** Pays `amount`, or all, back; `state`: `refunded`, `processing`, `rejected` */
  app.post('/gateway/:id/refund', (request) => {
    const order = orderOf(orders, request.params)
    const { amount, state } = readBody(request.body ?? {}, ['amount', 'state'])
    const paid = paidMicros(order)
    const micros = amount === undefined ? paid : amountOf(amount)
    if (micros === 0 || micros > paid) {
      throw new ControlFault(409, `The order holds ${microsToDecimal(paid)} that can be refunded.`)
    }
    return viewForControl(orders.refund(order, micros, refundState(state)))
  })
  /** Script of the gateway */
  serveFaultScript(app, '/gateway/script', {
    script: faults.all,
    accept: (entries) => acceptWords(entries, deps),
  })
}

function acceptWords(
  entries: readonly unknown[],
  { orders, notices, nowMs }: GatewayControlDeps,
): readonly string[] {
  const words = entries.map((entry) => {
    if (typeof entry === 'string' && (queueOf(entry) ?? parseProviderEvent(entry)) !== null) {
      return entry
    }
    throw new ControlFault(400, `The gateway knows no script word ${JSON.stringify(entry)}.`)
  })
  for (const word of words) {
    const event = parseProviderEvent(word)
    if (event === 'replay_notices') notices.replay()
    else if (event !== null) orders.hideUntil(nowMs() + event.lookupBlindMs)
  }
  return words.filter((word) => parseProviderEvent(word) === null)
}

/** By the provider's id, by ours as the provider knows it, or by ours with its dashes. */
function orderOf(orders: GatewayOrders, params: unknown): GatewayOrder {
  const { id } = params as { readonly id: string }
  const found =
    orders.byPrepayId(id) ?? orders.byTradeNo(id) ?? orders.byTradeNo(id.replaceAll('-', ''))
  if (found === undefined) throw new ControlFault(404, `There is no gateway order ${id}.`)
  return found
}

/** What is still to be paid; all of it again for an order that is paid. */
function missingOf(order: GatewayOrder): number {
  const came = order.payments.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
  return came < order.payMicros ? order.payMicros - came : order.payMicros
}

function amountOf(amount: unknown): number {
  const micros = decimalToMicros(amount)
  if (micros === null || micros === 0) {
    throw new ControlFault(
      400,
      'amount must be a decimal string above zero, with six digits at most.',
    )
  }
  return micros
}

function paymentFault(word: string | null): PaymentFault | null {
  const fault = parsePaymentWord(word ?? '')
  if (fault === null) return null
  return typeof fault === 'string'
    ? { kind: fault }
    : { kind: 'conversion_delay', durationMs: fault.delayMs }
}

function refundState(state: unknown): Refund['state'] {
  if (state === undefined || state === 'refunded') return 'REFUND_SUCCESS'
  if (state === 'processing') return 'REFUND_PROCESS'
  if (state === 'rejected') return 'REFUND_REJECTED'
  throw new ControlFault(400, 'state must be refunded, processing or rejected.')
}

const viewForControl = (order: GatewayOrder): Record<string, unknown> => ({
  prepayId: order.prepayId,
  merchantTradeNo: order.merchantTradeNo,
  status: order.status,
  chain: order.chain,
  address: order.address,
  payCurrency: order.payCurrency,
  payAmount: microsToDecimal(order.payMicros),
  currency: order.currency,
  orderAmount: microsToDecimal(order.orderMicros),
  createdAt: new Date(order.createdMs).toISOString(),
  expiresAt: new Date(order.expireMs).toISOString(),
  payments: order.payments.map((payment) => ({
    txId: payment.txId,
    amount: microsToDecimal(payment.amountMicros),
    usdt: payment.usdtMicros === null ? null : microsToDecimal(payment.usdtMicros),
    state: payment.state,
    isLate: payment.isLate,
  })),
  refunds: order.refunds.map(({ refundId, amountMicros, state }) => ({
    refundId,
    amount: microsToDecimal(amountMicros),
    state,
  })),
})
