// The merchant's side of the gateway. Every call is signed; answers are an envelope, with status 200 for what
// the caller did wrong and 500 for what the gateway did.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { one, type Query } from '../http/query.ts'
import { cut, sendHtml } from '../http/reply.ts'
import type { Clock } from '../kernel/clock.ts'
import { decimalToMicros, microsToDecimal, shareOfMicros } from '../kernel/micros.ts'
import { waitMs } from '../kernel/turn.ts'
import type { FaultQueues } from '../party/fault-queues.ts'
import { CHAINS, CURRENCIES, currencyOf, fullCurrType, priceMicros } from './currencies.ts'
import type { PaymentLists } from './lists.ts'
import type { GatewayOrder } from './order.ts'
import type { GatewayOrders, NewOrder } from './orders.ts'
import { type CreateFault, parseCreateFault, parseQueryFault, type Queue } from './script.ts'
import type { GatewaySettings } from './settings.ts'
import { createCallCheck } from './signature.ts'
import { type StatementPage, viewStatement } from './statement.ts'
import { viewCreated, viewOrder, viewTransactions } from './views.ts'

export interface GatewayDeps {
  readonly clock: Clock
  readonly seed: number
  readonly settings: GatewaySettings
  readonly orders: GatewayOrders
  readonly faults: FaultQueues<Queue>
  readonly lists: PaymentLists
  readonly stop: AbortSignal
}

const MESSAGES: Readonly<Record<string, string>> = {
  '300000': 'System error',
  '400001': 'Request parameter format error',
  '400002': 'Signature verification failed',
  '400003': 'Request timestamp timed out',
  '400020': 'Signature random number error',
  '400201': 'The merchant order number is repeated',
  '400202': 'The order does not exist',
  '400204': 'The order status is wrong',
  '400621': 'The amount is wrong',
  '400627': 'The currency or the chain is not supported',
}

type Body = Readonly<Record<string, unknown>>

export function serveGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const { clock, orders, settings } = deps
  const check = createCallCheck(settings)
  const ok = createSuccess()
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
    done(null, text),
  )
  app.addHook('preHandler', async (request, reply) => {
    const body = typeof request.body === 'string' ? request.body : ''
    const code = check(request.headers, body, clock.nowMs())
    if (code !== null) return fail(reply, code)
  })
  serveQuotes(app, deps, ok)
  app.post('/v1/pay/address/create', (request, reply) => create(request, reply, { ...deps, ok }))
  app.get('/v1/pay/address/query', (request, reply) => {
    const query = request.query as Query
    const fault = parseQueryFault(deps.faults.take('query') ?? '')
    if (fault?.kind === 'lost_reply') return cut(reply)
    if (fault?.kind === 'http_500') return fail(reply, '300000')
    const order = find(orders, {
      prepayId: one(query, 'prepayId'),
      tradeNo: one(query, 'merchantTradeNo'),
    })
    if (order === undefined || orders.isHidden(order)) return fail(reply, '400202')
    const isListed = deps.lists.areShown()
    return ok(viewOrder(order, { feeBps: settings.feeBps, fault, isListed }))
  })
  app.get('/v1/pay/address/transactiondetail', (request, reply) => {
    const order = find(orders, {
      prepayId: one(request.query as Query, 'prepayId') ?? '',
      tradeNo: undefined,
    })
    if (order === undefined || orders.isHidden(order)) return fail(reply, '400202')
    return ok(viewTransactions(order))
  })
  app.post('/v1/pay/order/close', (request, reply) => {
    const body = readJson(request)
    const order = find(orders, {
      prepayId: textOf(body?.prepayId),
      tradeNo: textOf(body?.merchantTradeNo),
    })
    if (order === undefined) return fail(reply, '400202')
    return orders.close(order).status === 'CLOSED'
      ? ok({ result: 'SUCCESS' })
      : fail(reply, '400204')
  })
  app.get('/v1/pay/bill/orderlist', (request, reply) => {
    const asked = readPage(request.query as Query)
    if (asked === null) return fail(reply, '400001')
    return ok(viewStatement(orders.all(), asked, settings.feeBps))
  })
}

const DAY_MS = 86_400_000
const MOST_LINES = 500

function readPage(query: Query): StatementPage | null {
  const number = (name: string): number => Number(one(query, name) ?? Number.NaN)
  const [fromMs, untilMs] = [number('startTime'), number('endTime')]
  const [page, count] = [number('page'), number('count')]
  if (!(untilMs >= fromMs && untilMs - fromMs <= DAY_MS)) return null
  return page >= 1 && count >= 1 && count <= MOST_LINES ? { fromMs, untilMs, page, count } : null
}

function serveQuotes(app: FastifyInstance, { clock, seed }: GatewayDeps, ok: Success): void {
  app.get('/v1/pay/address/currencies', () =>
    ok({ currencies: CURRENCIES.map(({ currency }) => currency) }),
  )
  app.get('/v1/pay/address/chains', (request, reply) => {
    const found = currencyOf(one(request.query as Query, 'currency') ?? '')
    if (found === undefined) return fail(reply, '400627')
    return ok({
      currency: found.currency,
      chains: CHAINS.filter(({ chain }) => found.chains.includes(chain)).map(
        ({ chain, title, explorerUrl }) => ({
          chain,
          currency: found.currency,
          full_curr_type: fullCurrType(found.currency, chain),
          symbol: fullCurrType(found.currency, chain),
          explorer_url: explorerUrl,
          show_chain_name_en: title,
        }),
      ),
    })
  })
  app.get('/v1/pay/convert/pair', (request, reply) => {
    const found = currencyOf(one(request.query as Query, 'currency') ?? '')
    if (found === undefined) return fail(reply, '400627')
    return ok([
      {
        pair: `${found.currency}_USDT`,
        sellCurrency: found.currency,
        sellCurrencyMin: microsToDecimal(found.leastMicros),
        sellCurrencyMax: '500000',
        buyCurrency: 'USDT',
        buyCurrencyMin: '5',
        buyCurrencyMax: '500000',
      },
    ])
  })
  app.post('/v1/pay/convert/preview', (request, reply) => {
    const body = readJson(request)
    const found = currencyOf(textOf(body?.sellCurrency) ?? '')
    if (found === undefined || body?.buyCurrency !== 'USDT') return fail(reply, '400627')
    const price = priceMicros(found, clock.nowMs(), seed)
    const sell = decimalToMicros(body.sellAmount ?? '1')
    if (sell === null || sell === 0) return fail(reply, '400621')
    return ok({
      sellCurrency: found.currency,
      buyCurrency: 'USDT',
      sellAmount: microsToDecimal(sell),
      buyAmount: microsToDecimal(shareOfMicros(sell, price, 1_000_000, 'down')),
      rate: microsToDecimal(price),
      quoteId: `PAY-${Math.floor(clock.nowMs() / 60_000).toString(16)}`,
    })
  })
}

async function create(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GatewayDeps & { readonly ok: Success },
) {
  const fault = parseCreateFault(deps.faults.take('create') ?? '')
  const refused = answerInstead(fault, reply)
  if (refused !== null) return refused
  const order = readOrder(readJson(request), deps)
  if (typeof order === 'string') return fail(reply, order)
  if (deps.orders.byTradeNo(order.merchantTradeNo) !== undefined) return fail(reply, '400201')
  const created = deps.orders.create(order)
  switch (fault?.kind) {
    case 'lost_reply':
      return cut(reply)
    case 'http_500':
      return fail(reply, '300000')
    case 'html_200':
      return sendHtml(reply, 200, 'Please wait')
    case 'slow':
      await waitMs(fault.durationMs, deps.stop)
  }
  return deps.ok(viewCreated(created))
}

/** The answer to a call that creates nothing, by its script. */
function answerInstead(fault: CreateFault | null, reply: FastifyReply) {
  if (fault === null || fault.kind === 'slow') return null
  if (fault.kind === 'too_many_requests') return sendHtml(reply, 429, '429 Too Many Requests')
  if (fault.kind === 'reject') return fail(reply, fault.code)
  if (fault.isPlaced) return null
  if (fault.kind === 'lost_reply') {
    cut(reply)
    return reply
  }
  return fault.kind === 'http_500' ? fail(reply, '300000') : sendHtml(reply, 200, 'Please wait')
}

/** The order that a body describes, or the code of what is wrong with it. */
function readOrder(body: Body | null, { clock, seed }: GatewayDeps): NewOrder | string {
  const merchantTradeNo = textOf(body?.merchantTradeNo) ?? ''
  const chain = textOf(body?.chain) ?? ''
  const currency = textOf(body?.currency) ?? ''
  const payCurrency = textOf(body?.payCurrency) ?? currency
  const expireMs = Number(body?.orderExpireTime)
  if (!/^[\w-]{1,32}$/.test(merchantTradeNo) || !(expireMs > clock.nowMs())) return '400001'
  const pays = currencyOf(payCurrency)
  if (pays === undefined || !pays.chains.includes(chain)) return '400627'
  if (body?.fullCurrType !== fullCurrType(payCurrency, chain)) return '400627'
  if (currency !== payCurrency && currency !== 'USDT') return '400627'
  const orderMicros = decimalToMicros(body?.orderAmount)
  if (orderMicros === null || orderMicros === 0) return '400621'
  const price = priceMicros(pays, clock.nowMs(), seed)
  const payMicros =
    currency === payCurrency ? orderMicros : shareOfMicros(orderMicros, 1_000_000, price, 'up')
  if (payMicros < pays.leastMicros) return '400621'
  const goods = body.goods as Body | undefined
  return {
    merchantTradeNo,
    merchantUserId: String(body.merchantUserId ?? ''),
    goodsName: textOf(goods?.goodsName) ?? '',
    ...{ chain, currency, orderMicros, payCurrency, payMicros, expireMs },
  }
}

function find(
  orders: GatewayOrders,
  { prepayId, tradeNo }: { prepayId: string | undefined; tradeNo: string | undefined },
): GatewayOrder | undefined {
  const found =
    prepayId === undefined ? orders.byTradeNo(tradeNo ?? '') : orders.byPrepayId(prepayId)
  // Both names, when both are given, must be of one order.
  return tradeNo === undefined || found?.merchantTradeNo === tradeNo ? found : undefined
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function readJson(request: FastifyRequest): Body | null {
  try {
    const value: unknown = JSON.parse(String(request.body ?? ''))
    return typeof value === 'object' && value !== null ? (value as Body) : null
  } catch {
    return null
  }
}

type Success = (data: unknown) => Readonly<Record<string, unknown>>

/** Documents disagree: every third success has no code, and every fifth its data as text. */
function createSuccess(): Success {
  let answers = 0
  return (data) => {
    answers += 1
    return {
      status: 'SUCCESS',
      code: answers % 3 === 0 ? null : '000000',
      errorMessage: '',
      data: answers % 5 === 0 ? JSON.stringify(data) : data,
    }
  }
}

function fail(reply: FastifyReply, code: string): FastifyReply {
  return reply.code(code.startsWith('3') ? 500 : 200).send({
    status: 'FAIL',
    code,
    label: '',
    errorMessage: MESSAGES[code] ?? 'Unknown error',
    data: '',
  })
}
