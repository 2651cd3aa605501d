// A payment gateway in the provider's protocol that answers at once and takes every order for paid when it is
// created. It checks the signature of each call, signs its notices, and sends them where it is asked to.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { Pool } from 'undici'
import type { GatewayOrder } from '../../apps/sandbox/src/gateway/order.ts'
import { readGatewaySettings } from '../../apps/sandbox/src/gateway/settings.ts'
import { sign } from '../../apps/sandbox/src/gateway/signature.ts'
import { viewCreated, viewOrder } from '../../apps/sandbox/src/gateway/views.ts'
import { answerWith } from '../ipc.ts'

const { clientId, secret, feeBps } = readGatewaySettings({})
const NOTICES_AT_ONCE = 16

/** By the id that the merchant gave. */
const orders = new Map<string, GatewayOrder>()
/** Whose orders are announced; null: nothing is. */
let noticesTo: Pool | null = null

function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const [timestamp, nonce] = [headers['x-gatepay-timestamp'], headers['x-gatepay-nonce']]
  const signature = sign(secret, { timestamp: String(timestamp), nonce: String(nonce), body })
  return (
    headers['x-gatepay-certificate-clientid'] === clientId &&
    headers['x-gatepay-signature'] === signature
  )
}

function createOrder(body: string): GatewayOrder {
  const asked = JSON.parse(body) as {
    readonly merchantTradeNo: string
    readonly orderAmount: string
    readonly orderExpireTime: number
  }
  const prepayId = randomBytes(12).toString('hex')
  const amountMicros = Math.round(Number(asked.orderAmount) * 1e6)
  const nowMs = Date.now()
  const order: GatewayOrder = {
    ...{ seq: orders.size, prepayId, merchantTradeNo: asked.merchantTradeNo, merchantUserId: '1' },
    ...{
      goodsName: 'Wallet deposit',
      chain: 'TRX',
      fullCurrType: 'USDT_TRX',
      address: `T${prepayId}`,
    },
    ...{
      currency: 'USDT',
      orderMicros: amountMicros,
      payCurrency: 'USDT',
      payMicros: amountMicros,
    },
    ...{ createdMs: nowMs, expireMs: asked.orderExpireTime, status: 'PAID', transactMs: nowMs },
    payments: [
      {
        ...{ txId: `0x${randomBytes(32).toString('hex')}`, fromAddress: 'TPayer', amountMicros },
        ...{ arrivedMs: nowMs, dueMs: nowMs, state: 'done', usdtMicros: null },
        ...{ isLate: false, fault: null },
      },
    ],
    refunds: [],
  }
  orders.set(order.merchantTradeNo, order)
  return order
}

/** A notice that is not received ends this process, and with it the row. */
async function announce(to: Pool, { prepayId, merchantTradeNo }: GatewayOrder): Promise<void> {
  const body = JSON.stringify({
    ...{ bizType: 'TRANSFER_ADDRESS', bizId: prepayId, bizStatus: 'TRANSFERRED_ADDRESS_IN_TERM' },
    client_id: clientId,
    data: JSON.stringify({ merchantTradeNo, currency: 'USDT' }),
  })
  const timestamp = String(Date.now())
  const nonce = randomBytes(12).toString('hex')
  const answer = await to.request({
    path: '/inbound/gateway',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gatepay-timestamp': timestamp,
      'x-gatepay-nonce': nonce,
      'x-gatepay-signature': sign(secret, { timestamp, nonce, body }),
    },
    body,
  })
  const receipt = await answer.body.text()
  if (!receipt.includes('SUCCESS')) throw new Error(`notice: ${answer.statusCode} ${receipt}`)
}

const CHAINS = {
  currency: 'USDT',
  chains: [
    { chain: 'TRX', currency: 'USDT', full_curr_type: 'USDT_TRX', show_chain_name_en: 'Tron' },
  ],
}

/** Undefined: an address that the gateway does not have. */
function answerTo(url: URL, body: string): unknown {
  switch (url.pathname) {
    case '/gateway/v1/pay/address/currencies':
      return { currencies: ['USDT'] }
    case '/gateway/v1/pay/address/chains':
      return CHAINS
    case '/gateway/v1/pay/convert/pair':
      return [{ sellCurrency: 'USDT', sellCurrencyMin: '5' }]
    case '/gateway/v1/pay/address/create': {
      const order = createOrder(body)
      const to = noticesTo
      if (to !== null) setImmediate(() => void announce(to, order))
      return viewCreated(order)
    }
    case '/gateway/v1/pay/address/query': {
      const order = orders.get(url.searchParams.get('merchantTradeNo') ?? '')
      return order && viewOrder(order, { feeBps, fault: null, isListed: true })
    }
  }
}

async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
  const url = new URL(request.url ?? '', 'http://gateway')
  const body = await readText(request)
  // A worker also asks this address for the other parties of a sandbox, which it does not have.
  if (!url.pathname.startsWith('/gateway/')) return [404, {}]
  if (!isSigned(request.headers, body)) return [200, { status: 'FAIL', code: '400002', data: '' }]
  const data = answerTo(url, body)
  return data === undefined
    ? [200, { status: 'FAIL', code: '400202', data: '' }]
    : [200, { status: 'SUCCESS', code: '000000', errorMessage: '', data }]
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request)
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
})

const methods = {
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  /** Of the orders that are created from now on. */
  announceTo: async (origin: string | null): Promise<void> => {
    const before = noticesTo
    noticesTo = origin === null ? null : new Pool(origin, { connections: NOTICES_AT_ONCE })
    await before?.close()
  },
}
export type GatewayMethods = typeof methods

answerWith(methods)
