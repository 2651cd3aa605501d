// Whatever a provider of deposits sends, an adapter neither throws nor finds money in it that is not stated.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { openGuard } from '#infra/testing/open-guard'
import { parseDecimal } from '#kernel/decimal'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type { OnrampProvider, PaymentGateway, SettledPayment } from '#ports/deposits'
import { createGateway } from '../gateway/index.ts'
import { createOnramp } from '../onramp/index.ts'
import { toProviderId } from '../shared/deposit-ids.ts'

const CONTEXT = { requestId: 'invalid', guard: openGuard }
const WALLET = `0x${'5a'.repeat(20)}`

let server: Server
let http: HttpClient
let gateway: PaymentGateway
let onramp: OnrampProvider
let answer: { readonly status: number; readonly body: string } = { status: 200, body: '' }

before(async () => {
  server = createServer((_, reply) => {
    reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const metrics = createMetrics()
  http = createHttpClient({ log: silentLog, metrics })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const deps = { http, clock: systemClock, log: silentLog, metrics }
  // Invalid answers never open the breaker here.
  const breaker = { faultsToOpen: Number.POSITIVE_INFINITY, openMs: 0, maxOpenMs: 0 }
  gateway = createGateway(
    { ...{ baseUrl, clientId: 'k', secret: 's', feeBps: 50 }, timing: { breaker } },
    deps,
  )
  onramp = createOnramp(
    {
      ...{ baseUrl, apiKey: 'k', secret: 's', wallet: WALLET, widgetUrl: 'http://w', appId: '1' },
      timing: { breaker },
    },
    deps,
  )
})
after(async () => {
  await http.close()
  server.closeAllConnections()
  server.close()
})

const orderId = newId()
const merchantTradeNo = toProviderId(orderId)

const gatewayOrder = (changes: object = {}, info: object = {}) => ({
  ...{ prepayId: '7', merchantTradeNo, currency: 'USDT', orderAmount: '100', status: 'PENDING' },
  ...{ chain: 'TRX', address: 'T1', fullCurrType: 'USDT_TRX', expireTime: 1_800_000_000_000 },
  transaction_info: { done_amount_total: '0', done_tx_item_list: [], ...info },
  ...changes,
})
const payment = (changes: object = {}) => ({
  ...{ txId: '0x1', amount: '10', utcCreateTime: '2026-11-22 06:00:00' },
  ...changes,
})
const onrampRow = (changes: object = {}) => ({
  ...{ orderId: 9, merchantRecognitionId: merchantTradeNo, status: 15, coinId: 54 },
  ...{ walletAddress: WALLET, actualCryptoAmount: 95.5, transactionHash: '0x2' },
  ...{ updatedAt: '2026-11-22T06:00:00.000Z' },
  ...changes,
})

const givenGateway = (data: unknown): void => {
  answer = { status: 200, body: JSON.stringify({ status: 'SUCCESS', code: '000000', data }) }
}
const givenOnramp = (data: unknown): void => {
  answer = { status: 200, body: JSON.stringify({ status: 1, code: 200, data }) }
}
const findGateway = () => gateway.findOrder({ orderId }, CONTEXT)
const findOnramp = () => onramp.findOrder({ orderId }, CONTEXT)

test('an order that is right is read, with and without the envelope', async () => {
  const items = { done_amount_total: '10', done_tx_item_list: [payment()] }
  for (const wrap of [givenGateway, (data: unknown) => givenBare(data)]) {
    wrap(gatewayOrder({}, items))
    const found = await findGateway()
    assert.ok(found.kind === 'read' && found.value !== 'absent', JSON.stringify(found))
    assert.deepEqual([found.value.state, found.value.payments.length], ['part_paid', 1])
  }
})

test('an order is read whatever code a success has, and with its data as text', async () => {
  const order = gatewayOrder()
  for (const [code, data] of [
    [null, order],
    ['', order],
    ['400001', order],
    [undefined, order],
    [null, JSON.stringify(order)],
  ]) {
    givenBare({ status: 'SUCCESS', code, label: null, errorMessage: '', data })
    const found = await findGateway()
    assert.ok(found.kind === 'read' && found.value !== 'absent', JSON.stringify([code, found]))
  }
  for (const code of [null, '', '999999']) {
    givenBare({ status: 'FAIL', code, errorMessage: 'no', data: order })
    assert.equal((await findGateway()).kind, 'unavailable')
  }
})

const givenBare = (data: unknown): void => {
  answer = { status: 200, body: JSON.stringify(data) }
}

test('a gateway order with one wrong figure is not used at all', async () => {
  const sum = (amount: string, ...items: unknown[]) => ({
    done_amount_total: amount,
    done_tx_item_list: items,
  })
  const btc = { currency: 'USDT', payCurrency: 'BTC', payAmount: '0.001', fullCurrType: 'BTC' }
  const wrong: object[] = [
    gatewayOrder({ merchantTradeNo: toProviderId(newId()) }),
    gatewayOrder({ merchantTradeNo: '../1' }),
    gatewayOrder({ currency: 'XRP' }),
    gatewayOrder({ orderAmount: '-100' }),
    gatewayOrder({ orderAmount: '1e2' }),
    gatewayOrder({ expireTime: 'soon' }),
    gatewayOrder({ payAmount: '1' }),
    gatewayOrder({}, sum('11', payment())),
    gatewayOrder({}, sum('10', payment(), payment())),
    gatewayOrder({}, sum('-10', payment({ amount: '-10' }))),
    gatewayOrder({}, sum('0', payment({ amount: '0' }))),
    gatewayOrder({}, sum('10', payment({ txId: '' }))),
    gatewayOrder({}, sum('10', payment({ utcCreateTime: 'yesterday' }))),
    gatewayOrder({}, sum('99999999', payment({ amount: '99999999' }))),
    gatewayOrder(btc, sum('0.001', payment({ amount: '0.001', inUsdt: '1000' }))),
    gatewayOrder(btc, sum('0.001', payment({ amount: '0.001', inUsdt: '-1' }))),
    gatewayOrder({ refundList: [{ refundRequestId: 'r', refundAmount: '1', status: 'GONE' }] }),
  ]
  for (const order of wrong) {
    givenGateway(order)
    assert.equal((await findGateway()).kind, 'unavailable', JSON.stringify(order))
  }
})

test('one transaction that pays twice is two payments', async () => {
  const items = [payment(), payment()]
  givenGateway(gatewayOrder({}, { done_amount_total: '20', done_tx_item_list: items }))
  const found = await findGateway()
  assert.ok(found.kind === 'read' && found.value !== 'absent')
  assert.deepEqual(
    found.value.payments.map(({ settlementRef }) => settlementRef),
    ['7/0x1', '7/0x1#2'],
  )
})

test('an on-ramp order with one wrong figure is not used at all', async () => {
  givenOnramp([onrampRow()])
  const found = await findOnramp()
  assert.ok(found.kind === 'read' && found.value !== 'absent')
  assert.equal(found.value.payments[0]?.amountToken, '95.5')
  for (const change of [
    { status: 'done' },
    { coinId: 6 },
    { actualCryptoAmount: 0 },
    { actualCryptoAmount: -1 },
    { actualCryptoAmount: '1e3' },
    { actualCryptoAmount: 2_000_000 },
    { updatedAt: null },
    { orderId: null },
  ]) {
    givenOnramp([onrampRow(change)])
    assert.equal((await findOnramp()).kind, 'unavailable', JSON.stringify(change))
  }
})

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  fc.string(),
  fc
    .dictionary(
      fc.constantFrom('status', 'code', 'data', 'error'),
      fc.oneof(fc.constantFrom('SUCCESS', 1, 0, '000000', null), fc.jsonValue({ maxDepth: 3 })),
    )
    .map((value) => JSON.stringify(value)),
)

const isSound = (payments: readonly SettledPayment[]): boolean =>
  payments.every(({ amountToken }) => (parseDecimal(amountToken) ?? 0n) > 0n)

test('no answer makes a call throw, and no payment comes of it that is not whole', async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.constantFrom(200, 204, 302, 400, 429, 500), async (body, status) => {
      answer = { status, body }
      const order = await findGateway()
      if (order.kind === 'read' && order.value !== 'absent')
        assert.ok(isSound(order.value.payments))
      const card = await findOnramp()
      if (card.kind === 'read' && card.value !== 'absent') assert.ok(isSound(card.value.payments))
      await gateway.listCurrencies(CONTEXT)
      await gateway.quote({ usd: cents(1_000n), currency: 'ETH' }, CONTEXT)
      await onramp.quote(
        {
          ...{ amount: { receiveUsd: cents(5_000n) }, payCurrency: 'EUR' },
          ...{ countryCode: null, coin: null },
        },
        CONTEXT,
      )
      await onramp.configuration('limitsMapping', CONTEXT)
      const session = await onramp.createSession(
        {
          ...{ orderId, payCurrency: 'EUR', pay: 5_000n, receiveUsd: cents(5_000n) },
          ...{ redirectUrl: null, coin: null, paymentMethod: 'instant', expiresAt: new Date() },
        },
        CONTEXT,
      )
      assert.equal(session.kind, 'created')
    }),
    { numRuns: 200 },
  )
})

test('no bytes make the reading of a notice throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))),
      fc.uint8Array(),
      (headers, bytes) => {
        for (const { readNotice } of [gateway, onramp]) {
          const read = readNotice(headers, Buffer.from(bytes), new Date())
          assert.equal(read.kind, 'bad_signature')
        }
      },
    ),
  )
})
