// The merchant's side of the on-ramp. Every call is a signed POST; `status` 1 is success, 0 is not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cut, sendHtml } from '../http/reply.ts'
import type { Clock } from '../kernel/clock.ts'
import { decimalToMicros } from '../kernel/micros.ts'
import { waitMs } from '../kernel/turn.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import { parseCallFault } from '../party/fault-script.ts'
import {
  COUNTRIES,
  chainMapping,
  coinOf,
  configMapping,
  countryConfig,
  fiatOf,
  limits,
  networkOf,
} from './assets.ts'
import type { NewOrder, OnrampOrders } from './orders.ts'
import { quoteOf } from './quote.ts'
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
  readonly stop: AbortSignal
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

type Body = Readonly<Record<string, unknown>>

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
  app.post('/onramp-merchants/widget/createIntent', (request, reply) =>
    create(request, reply, deps),
  )
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

async function create(request: FastifyRequest, reply: FastifyReply, deps: OnrampDeps) {
  const fault = parseCallFault(deps.faults.take('create') ?? '')
  if (fault?.kind === 'too_many_requests') return sendHtml(reply, 429, '429 Too Many Requests')
  if (fault !== null && 'isPlaced' in fault && !fault.isPlaced) {
    if (fault.kind === 'http_500') return fail(reply, 500)
    cut(reply)
    return reply
  }
  const order = readOrder(bodyOf(request), deps)
  if (typeof order === 'number') return fail(reply, order)
  const { hash, orderId } = deps.orders.create(order)
  if (fault?.kind === 'lost_reply') {
    cut(reply)
    return reply
  }
  if (fault?.kind === 'http_500') return fail(reply, 500)
  if (fault?.kind === 'slow') await waitMs(fault.durationMs, deps.stop)
  return ok({ hash, orderId })
}

/** The order that a body describes, or the code of what is wrong with it. */
function readOrder(body: Body, deps: OnrampDeps): NewOrder | number {
  const asked = readQuote(body, deps)
  if (typeof asked === 'number') return asked
  const { quote, coinCode, network, fiatType } = asked
  const walletAddress = String(body.walletAddress ?? '')
  const merchantRecognitionId = String(body.merchantRecognitionId ?? '')
  if (!/^0x[0-9A-Fa-f]{40}$/.test(walletAddress) || merchantRecognitionId === '') return 400
  const redirectUrl = typeof body.redirectURL === 'string' ? body.redirectURL : null
  if (redirectUrl !== null && !isWebAddress(redirectUrl)) return 400
  return {
    ...{ merchantRecognitionId, coinCode, network, walletAddress, fiatType, redirectUrl },
    fiatCents: quote.fiatCents,
    coinCents: quote.coinCents,
    rateTenThousandths: quote.rateTenThousandths,
    feeCents: {
      onramp: quote.onrampFeeCents,
      gateway: quote.gatewayFeeCents,
      gas: quote.gasFeeCents,
    },
  }
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

function readQuote(body: Body, { clock, seed }: OnrampDeps) {
  const coin = coinOf(body.coinCode, body.coinId)
  const network = networkOf(body.network, body.chainId)
  const fiat = fiatOf(body.fiatType)
  if (coin === undefined || network === undefined) return 406
  if (fiat === undefined || String(body.type) !== '1') return 400
  const { countryCode } = body
  if (countryCode !== undefined && COUNTRIES[String(countryCode)]?.fiat !== fiat.symbol) return 403
  const micros = decimalToMicros(String(body.fiatAmount))
  if (micros === null || micros % 10_000 !== 0) return 409
  const fiatCents = micros / 10_000
  if (fiatCents < fiat.min * 100 || fiatCents > fiat.max * 100) return 413
  return {
    quote: quoteOf(fiatCents, fiat, network, { nowMs: clock.nowMs(), seed }),
    coinCode: coin.coinCode,
    network: network.network,
    fiatType: fiat.fiatType,
  }
}

const bodyOf = ({ body }: FastifyRequest): Body =>
  typeof body === 'object' && body !== null ? (body as Body) : {}

const ok = (data: unknown) => ({ status: 1, code: 200, data })

/** The provider repeats its code as the status of the answer. */
const fail = (reply: FastifyReply, code: number): FastifyReply =>
  reply.code(code).send({ status: 0, code, error: MESSAGES[code] ?? 'this request is forbidden' })
