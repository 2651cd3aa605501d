// The merchant's side of the on-ramp. Every call is a signed POST; `status` 1 is success, 0 is not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cut } from '../http/reply.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import { chainMapping, configMapping, countryConfig, limits } from './assets.ts'
import { type Asked, readQuote } from './new-order.ts'
import type { OnrampOrders } from './orders.ts'
import { parseQueryFault, type QueryFault, type Queue } from './script.ts'
import type { OnrampSettings } from './settings.ts'
import { isSigned } from './signature.ts'
import { viewOrder, viewQuote } from './views.ts'

export interface OnrampDeps {
  readonly clock: Clock
  readonly seed: number
  readonly settings: OnrampSettings
  readonly orders: OnrampOrders
  readonly faults: FaultQueues<Queue>
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'Invalid Request -- Invalid request format',
  401: 'Invalid client credentials/signature',
  406: 'Coin name not supplied or not yet supported',
  413: 'volume asked not acceptable -- Desired volume is not within bounds',
  417: "Oops ! Order doesn't exist any more",
  500: 'Problem with our servers, try again later',
}

const TRANSACTION = '/onramp/api/v2/common/transaction'
const MOST_ROWS = 500

export function serveOnramp(app: FastifyInstance, deps: OnrampDeps): void {
  const { clock, settings } = deps
  app.addHook('preHandler', async (request, reply) => {
    if (isSigned(request.headers, { ...settings, nowMs: clock.nowMs() })) return
    return fail(reply, 401)
  })
  app.post(`${TRANSACTION}/quotes`, (request, reply) => {
    const order = readQuote(bodyOf(request), deps)
    return typeof order === 'number' ? fail(reply, order) : ok(viewQuote(order.quote))
  })
  app.post(`${TRANSACTION}/limits`, () => ok(limits()))
  app.post(`${TRANSACTION}/allConfigMapping`, () => ok(configMapping()))
  app.post(`${TRANSACTION}/allCountryConfig`, () => ok(countryConfig()))
  app.post(`${TRANSACTION}/allChainMapping`, () => ok(chainMapping()))
  // It begins payments in coins, which nothing here plays: a card payment is begun by the page's address.
  app.post('/onramp-merchants/widget/createIntent', (_request, reply) => fail(reply, 400))
  serveLookUps(app, deps)
}

function serveLookUps(app: FastifyInstance, { orders, faults }: OnrampDeps): void {
  app.post(`${TRANSACTION}/orderStatus`, (request, reply) => {
    const fault = parseQueryFault(faults.take('query') ?? '')
    if (fault?.kind === 'lost_reply') return cut(reply)
    if (fault?.kind === 'http_500') return fail(reply, 500)
    const order = orders.byId(Number(bodyOf(request).orderId))
    if (order === undefined || orders.isHidden()) return fail(reply, 417)
    return ok(withFault(viewOrder(order), fault))
  })
  app.post('/onramp/api/v1/transaction/merchantHistory', (request, reply) => {
    const fault = parseQueryFault(faults.take('query') ?? '')
    if (fault?.kind === 'lost_reply') return cut(reply)
    if (fault?.kind === 'http_500') return fail(reply, 500)
    const { page = 1, pageSize = 50, since, order = 'ASC' } = bodyOf(request)
    const size = Number(pageSize)
    if (!(size >= 1 && size <= MOST_ROWS) || !(Number(page) >= 1)) return fail(reply, 409)
    const sinceMs = since === undefined ? 0 : Date.parse(String(since))
    const found = orders.isHidden()
      ? []
      : orders.all().filter(({ createdMs }) => createdMs >= sinceMs)
    const sorted = order === 'DESC' ? found.toReversed() : found
    const from = (Number(page) - 1) * size
    return ok(sorted.slice(from, from + size).map((one) => withFault(viewOrder(one), fault)))
  })
}

const withFault = (view: Record<string, unknown>, fault: QueryFault | null) => ({
  ...view,
  ...(fault?.kind === 'other_wallet' ? { walletAddress: `0x${'9'.repeat(40)}` } : {}),
  ...(fault?.kind === 'false_amount' ? { actualCryptoAmount: fault.amount } : {}),
})

const bodyOf = ({ body }: FastifyRequest): Asked =>
  typeof body === 'object' && body !== null ? (body as Asked) : {}

const ok = (data: unknown) => ({ status: 1, code: 200, data })

/** The provider repeats its code as the status of the answer. */
const fail = (reply: FastifyReply, code: number): FastifyReply =>
  reply.code(code).send({ status: 0, code, error: MESSAGES[code] ?? 'this request is forbidden' })
