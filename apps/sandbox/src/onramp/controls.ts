import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody, readPartyChange } from '../control/body.ts'
import { decimalToMicros } from '../kernel/micros.ts'
import type { NoticeSender } from '../notices/sender.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import { parseProviderEvent } from '../party/fault-script.ts'
import { serveFaultScript } from '../party/script-controls.ts'
import type { Switches } from '../party/switches.ts'
import { FIATS } from './assets.ts'
import { type OnrampOrder, STATUS, statusName } from './order.ts'
import type { OnrampOrders } from './orders.ts'
import { type Queue, queueOf } from './script.ts'

export interface OnrampControlDeps {
  readonly orders: OnrampOrders
  readonly faults: FaultQueues<Queue>
  readonly notices: NoticeSender
  readonly switches: Switches
  readonly nowMs: () => number
}

const REASONS: Readonly<Record<string, number>> = {
  amount_mismatch: STATUS.amountMismatch,
  name_mismatch: STATUS.nameMismatch,
  abandoned: STATUS.abandoned,
  timed_out: STATUS.timedOut,
}

export function serveOnrampControls(app: FastifyInstance, deps: OnrampControlDeps): void {
  const { orders, faults, notices, switches } = deps
  /** `online`, `latencyMs` */
  app.put('/onramp', (request) =>
    switches.set('onramp', readPartyChange(readBody(request.body, ['online', 'latencyMs']))),
  )
  /** The newest 200 */
  app.get('/onramp/orders', () => ({
    items: orders.all().toReversed().slice(0, 200).map(viewForControl),
  }))
  /** What was sent to the service */
  app.get('/onramp/notices', () => ({ items: notices.list() }))
  /** Pays it, as its page would; `amount` */
  app.post('/onramp/:id/complete', (request) => {
    const order = orderOf(orders, request.params)
    const { amount } = readBody(request.body ?? {}, ['amount'])
    return moved(orders.complete(order, amount === undefined ? null : centsOf(amount)), order)
  })
  /** Its payer begins once more */
  app.post('/onramp/:id/again', (request) =>
    viewForControl(orders.again(orderOf(orders, request.params))),
  )
  /** `reason`: `amount_mismatch`, `name_mismatch`, `abandoned`, `timed_out` */
  app.post('/onramp/:id/fail', (request) => {
    const order = orderOf(orders, request.params)
    const { reason = 'abandoned' } = readBody(request.body ?? {}, ['reason'])
    const status = REASONS[String(reason)]
    if (status === undefined) {
      throw new ControlFault(400, `reason must be one of ${Object.keys(REASONS).join(', ')}.`)
    }
    return moved(orders.fail(order, status), order)
  })
  /** Script of the on-ramp */
  serveFaultScript(app, '/onramp/script', {
    script: faults.all,
    accept: (entries) => acceptWords(entries, deps),
  })
}

function acceptWords(
  entries: readonly unknown[],
  { orders, notices, nowMs }: OnrampControlDeps,
): readonly string[] {
  const words = entries.map((entry) => {
    if (typeof entry === 'string' && (queueOf(entry) ?? parseProviderEvent(entry)) !== null) {
      return entry
    }
    throw new ControlFault(400, `The on-ramp knows no script word ${JSON.stringify(entry)}.`)
  })
  for (const word of words) {
    const event = parseProviderEvent(word)
    if (event === 'replay_notices') notices.replay()
    else if (event !== null) orders.hideUntil(nowMs() + event.lookupBlindMs)
  }
  return words.filter((word) => parseProviderEvent(word) === null)
}

/** By the provider's id, else by ours, with or without its dashes. */
function orderOf(orders: OnrampOrders, params: unknown): OnrampOrder {
  const { id } = params as { readonly id: string }
  const found =
    (/^\d{1,9}$/.test(id) ? orders.byId(Number(id)) : undefined) ??
    orders.byRecognitionId(id) ??
    orders.byRecognitionId(id.replaceAll('-', ''))
  if (found === undefined) throw new ControlFault(404, `There is no on-ramp order ${id}.`)
  return found
}

function moved(after: OnrampOrder | null, before: OnrampOrder): Record<string, unknown> {
  if (after === null) {
    const { orderId, status } = before
    throw new ControlFault(409, `Order ${orderId} has already ended: ${statusName(status)}.`)
  }
  return viewForControl(after)
}

function centsOf(amount: unknown): number {
  const micros = decimalToMicros(amount)
  if (micros === null || micros === 0 || micros % 10_000 !== 0) {
    throw new ControlFault(
      400,
      'amount must be a decimal string above zero, with two digits at most.',
    )
  }
  return micros / 10_000
}

const viewForControl = (order: OnrampOrder): Record<string, unknown> => ({
  orderId: order.orderId,
  merchantRecognitionId: order.merchantRecognitionId,
  status: order.status,
  fiatAmount: (order.fiatCents / 100).toFixed(2),
  fiat: FIATS.find(({ fiatType }) => fiatType === order.fiatType)?.symbol,
  coinAmount: (order.coinCents / 100).toFixed(2),
  sentAmount: (order.sentCents / 100).toFixed(2),
  coinCode: order.coinCode,
  network: order.network,
  pagePath: `/onramp/checkout?hash=${order.hash}`,
  createdAt: new Date(order.createdMs).toISOString(),
  updatedAt: new Date(order.updatedMs).toISOString(),
})
