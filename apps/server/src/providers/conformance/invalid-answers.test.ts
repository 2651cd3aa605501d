// Whatever a supplier sends, an adapter neither throws nor reads more into it than it states.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '#infra/clock'
import { createHttpClient, type HttpClient } from '#infra/http-client'
import { silentLog } from '#infra/log'
import { createMetrics } from '#infra/metrics'
import { openGuard } from '#infra/testing/open-guard'
import { mills } from '#kernel/money'
import type { Market, OrderQuery } from '#ports/buying'
import type { Statements } from '#ports/reconciliation'
import { createMarketA } from '../market-a/index.ts'
import { createMarketB } from '../market-b/index.ts'

const metrics = createMetrics()
let server: Server
let http: HttpClient
let answer: { readonly status: number; readonly body: string } = { status: 200, body: '' }
const markets: Market[] = []
const statements: Statements[] = []

let hurriedMs = 0
/** An hour later at each look: a request to be left alone must not outlast its own call. */
const hurryingClock = {
  now: () => {
    hurriedMs += 3_600_000
    return new Date(Date.now() + hurriedMs)
  },
}

before(async () => {
  server = createServer((_, reply) => {
    reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  http = createHttpClient({ log: silentLog, metrics })
  const shared = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k',
    http,
    clock: hurryingClock,
    rng: Math.random,
    log: silentLog,
    metrics,
    // Invalid answers never open the breaker here.
    breaker: { faultsToOpen: Number.POSITIVE_INFINITY, openMs: 0, maxOpenMs: 0 },
    callsPerMinute: 0,
    reserveSlot: async () => ({ kind: 'granted', waitMs: 0 }) as const,
    takePermit: async () => assert.fail('there is no limit'),
  }
  const suppliers = [
    createMarketA({ ...shared, clock: systemClock, callSpacingMs: 0 }),
    createMarketB(shared),
  ]
  // An account whose currency is not known yet buys nothing.
  answer = { status: 200, body: '{"success":true,"money":1,"currency":"USD"}' }
  await suppliers[0]?.market.balance(CONTEXT)
  markets.push(...suppliers.map(({ market }) => market))
  statements.push(...suppliers.map((supplier) => supplier.statements))
})
after(async () => {
  await http.close()
  server.closeAllConnections()
  server.close()
})

const CONTEXT = { requestId: 'invalid', guard: openGuard }
const PURCHASE = {
  customId: 'c-1',
  rawListingId: '5',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  ceilingMills: mills(1000n),
  partner: 1,
  token: 'accept00',
}
const QUERIES: readonly OrderQuery[] = [
  { customId: 'c-1', orderId: null, offerSeen: false, acceptanceSeen: false },
  { customId: 'c-2', orderId: '7', offerSeen: true, acceptanceSeen: true },
]

/** Values of any kind in the fields that both markets use. */
const value = fc.oneof(
  fc.constantFrom(
    true,
    false,
    null,
    0,
    1,
    5,
    -1,
    '0',
    '1',
    '5',
    '',
    'x',
    'Not money',
    'Item sold',
    'declined',
    1e21,
    0.5,
    [],
    {},
  ),
  fc.string({ maxLength: 4 }),
)
const order = fc.record(
  Object.fromEntries(
    [
      'item_id',
      'id',
      'stage',
      'status',
      'causer',
      'paid',
      'price',
      'trade_id',
      'settlement',
      'reason',
      'project_id',
      'release_date',
      'is_released',
      'penalties',
      'refund',
      'currency',
      'created',
      'time',
      'custom_id',
    ].map((key) => [key, value]),
  ),
  { requiredKeys: [] },
)
const body = fc.oneof(
  fc.record(
    {
      success: value,
      id: value,
      price: value,
      code: value,
      error: value,
      msg: value,
      money: value,
      user: fc.oneof(value, fc.record({ wallet: value })),
      data: fc.oneof(value, fc.record({ 'c-1': fc.oneof(order, value), 'c-2': order })),
      trades: fc.oneof(value, fc.array(fc.oneof(order, value), { maxLength: 4 })),
      history: fc.oneof(value, fc.array(fc.oneof(order, value), { maxLength: 4 })),
    },
    { requiredKeys: [] },
  ),
  value,
  fc.json(),
)
const invalidAnswer = fc.record({
  status: fc.constantFrom(200, 200, 200, 400, 401, 403, 404, 429, 500, 502),
  body: fc.oneof(
    body.map((sent) => JSON.stringify(sent)),
    fc.constantFrom('<html>', '', 'null', '[', '"', '{"success":true,"id":1'),
  ),
})

test('no answer makes an adapter throw, and none without an order id is an acceptance', async () => {
  await fc.assert(
    fc.asyncProperty(invalidAnswer, async (sent) => {
      answer = sent
      for (const market of markets) {
        const placed = await market.place(PURCHASE, CONTEXT)
        if (placed.kind === 'accepted') {
          const { success, id } = JSON.parse(sent.body)
          assert.ok([true, 1, '1', 'true'].includes(success) && Number(id) > 0, sent.body)
          assert.ok(sent.status < 500)
        }
        const canceled = await market.cancel(
          { customId: 'c-1', orderId: '7', patienceMs: 0 },
          CONTEXT,
        )
        if (canceled.kind === 'canceled') {
          assert.ok([true, 1, '1', 'true'].includes(JSON.parse(sent.body).success), sent.body)
        }
        await market.lookUp(QUERIES, CONTEXT)
        await market.balance(CONTEXT)
      }
      for (const each of statements) await each.read(new Date(0), CONTEXT)
    }),
    { numRuns: 400 },
  )
})

test('an answer that cannot be read never says that an order is absent', async () => {
  for (const sent of ['<html>', '', '[]', 'null', '{}', '{"success":true}', '{"success":false}']) {
    answer = { status: 200, body: sent }
    for (const market of markets) {
      const looked = await market.lookUp(QUERIES, CONTEXT)
      assert.equal(looked.kind, 'unavailable', `${market.id} ${sent}`)
    }
  }
})

test('a row that cannot be read leaves its order open instead of absent', async () => {
  answer = {
    status: 200,
    body: JSON.stringify({
      success: true,
      data: { 'c-1': 'x', 'c-2': { stage: 1 } },
      trades: ['x'],
    }),
  }
  for (const market of markets) {
    const looked = await market.lookUp(QUERIES, CONTEXT)
    assert.ok(looked.kind === 'read')
    assert.equal(looked.orders.size, 0, market.id)
  }
})

test('a statement with a row that cannot be read is not whole, and one that makes no sense is none', async () => {
  const rows = ['x', { stage: 1 }, { id: 5 }]
  answer = { status: 200, body: JSON.stringify({ success: true, data: rows, history: rows }) }
  for (const each of statements) {
    const read = await each.read(new Date(0), CONTEXT)
    assert.ok(read.kind === 'unavailable' || !read.isWhole, each.id)
  }
  for (const sent of ['<html>', '[]', '{}', '{"success":true}', '{"success":false,"data":[]}']) {
    answer = { status: 200, body: sent }
    for (const each of statements) {
      assert.equal((await each.read(new Date(0), CONTEXT)).kind, 'unavailable', each.id)
    }
  }
})
