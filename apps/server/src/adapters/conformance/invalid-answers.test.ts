// Whatever a supplier sends, an adapter neither throws nor reads more into it than it states.

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
import { mills } from '#kernel/money'
import type { Market, OrderQuery } from '#ports/buying'
import type { Statements } from '#ports/reconciliation'
import { givenTradeUrls } from '../game-platform/testing/platform-calls.ts'
import { createMarketA } from '../market-a/index.ts'
import { createMarketB } from '../market-b/index.ts'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { wholePages } from '../shared/testing/whole-pages.ts'

const metrics = createMetrics()
let server: Server
let http: HttpClient
interface Sent {
  readonly status: number
  readonly body: string
}
let answer: Sent = { status: 200, body: '' }
let inventoryAnswer: Sent = answer
let baseUrl = ''
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
  server = createServer(({ url = '' }, reply) => {
    const { status, body } = url.startsWith('/inventory/') ? inventoryAnswer : answer
    reply.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  http = createHttpClient({ log: silentLog, metrics })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shared = {
    baseUrl,
    apiKey: 'k',
    http,
    clock: hurryingClock,
    rng: Math.random,
    log: silentLog,
    metrics,
    // Invalid answers never open the breaker here.
    breaker: { faultsToOpen: Number.POSITIVE_INFINITY, openMs: 0, maxOpenMs: 0 },
    callsPerMinute: 0,
    reserveSlot: async () => ({ kind: 'granted', waitMs: 0, giveBack: async () => {} }) as const,
    takePermit: async () => assert.fail('there is no limit'),
  }
  const suppliers = [
    createMarketA({ ...shared, clock: systemClock, callSpacingMs: 0 }),
    createMarketB({ ...shared, keepPages: wholePages }),
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
        const placed = await placeInTurn(market, PURCHASE, CONTEXT)
        if (placed.kind === 'accepted') {
          const { success, id } = JSON.parse(sent.body)
          assert.ok([true, 1, '1', 'true'].includes(success) && Number(id) > 0, sent.body)
          assert.equal(sent.status, 200)
        }
        const canceled = await market.cancel(
          { customId: 'c-1', orderId: '7', patienceMs: 0 },
          CONTEXT,
        )
        if (canceled.kind === 'canceled') {
          assert.ok([true, 1, '1', 'true'].includes(JSON.parse(sent.body).success), sent.body)
          assert.equal(sent.status, 200)
        }
        await market.lookUp(QUERIES, CONTEXT)
        await market.balance(CONTEXT)
      }
      for (const each of statements) await each.read(new Date(0), CONTEXT)
    }),
    { numRuns: 300 },
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

/** What a gate or a proxy answers before a market; a market itself answers with status 200. */
const BEFORE_THE_MARKETS = [400, 401, 403, 404, 410, 429, 500, 503]

test('an answer with another status than 200 is no data, whatever its body states', async () => {
  const row = { item_id: 7, id: 7, stage: 2, status: 5, project_id: 'c-1', time: 1 }
  const bodies = [
    { success: false, data: false, error: 'Not found' },
    { success: true, data: { 'c-1': row }, trades: [row], money: 5, user: { wallet: 5 } },
    { success: true, data: [], trades: [], history: [], money: 5, currency: 'USD' },
    { success: false, code: 40, error: 'Not found', msg: 'Trade not found' },
    { success: false, error: 'No item was found at the specified price', msg: 'Item sold' },
  ]
  for (const status of BEFORE_THE_MARKETS) {
    for (const body of bodies) {
      answer = { status, body: JSON.stringify(body) }
      const about = JSON.stringify(answer)
      for (const market of markets) {
        assert.equal((await market.lookUp(QUERIES, CONTEXT)).kind, 'unavailable', about)
        assert.ok('unavailable' in (await market.balance(CONTEXT)), about)
        const placed = await placeInTurn(market, PURCHASE, CONTEXT)
        assert.equal(
          placed.kind,
          status === 429 && market.id === 'market_b' ? 'not-sent' : 'unknown',
        )
        const cancel = { customId: 'c-1', orderId: '7', patienceMs: 0 }
        assert.equal((await market.cancel(cancel, CONTEXT)).kind, 'unknown', about)
      }
      for (const each of statements) {
        assert.equal((await each.read(new Date(0), CONTEXT)).kind, 'unavailable', about)
      }
    }
  }
})

test('rows of other orders than those asked for leave none of them absent', async () => {
  const row = { item_id: 7, id: 7, stage: 1, status: 2 }
  // Another order than any that was asked for, and one whose project the market left out.
  for (const sent of [{ data: { 'C-1': row } }, { trades: [row] }]) {
    answer = { status: 200, body: JSON.stringify({ success: true, data: [], trades: [], ...sent }) }
    const market = markets['data' in sent ? 0 : 1] as Market
    const looked = await market.lookUp(QUERIES.slice(0, 1), CONTEXT)
    assert.ok(looked.kind === 'read')
    assert.equal(looked.orders.size, 0, market.id)
  }
})

test('what was kept of a price is not known where the market states it in another form', async () => {
  const row = {
    ...{ item_id: 7, id: 7, stage: 5, status: 6, time: 1, project_id: 'c-1', currency: 'USD' },
    ...{ paid: 500, price: 500, created: '2026-11-21T12:00:00.000Z' },
  }
  const returned = async (kept: unknown) => {
    const rows = [{ ...row, refund: kept, penalties: kept }]
    answer = {
      status: 200,
      body: JSON.stringify({ success: true, data: rows, history: rows, trades: rows }),
    }
    const read = await Promise.all(statements.map((each) => each.read(new Date(0), CONTEXT)))
    return read.map((one) => one.kind === 'read' && one.lines[0]?.returnedMills)
  }
  for (const none of [undefined, null, false, [], '']) {
    assert.deepEqual(await returned(none), [500n, 500n], JSON.stringify(none))
  }
  for (const unknown of ['150', 150, true, [150], { buyer: 'some' }, { buyer: { sum: 1 } }]) {
    assert.deepEqual(await returned(unknown), [null, null], JSON.stringify(unknown))
  }
})

test('an inventory behind a trade URL is private or shown only where the platform says so', async () => {
  const page = `
    var g_strTradePartnerPersonaName = "A name";
    var g_bTradePartnerProbation = false;
    var g_daysTheirEscrow = 0;
    var g_rgPartnerAppContextData = {};
  `
  const inventory = '{"success":1,"total_inventory_count":0}'
  for (const [status, text, kind] of [
    [200, inventory, 'resolved'],
    [403, 'null', 'refused'],
    [401, 'null', 'refused'],
    [404, 'null', 'refused'],
    [429, 'null', 'unavailable'],
    [500, '{"error":"(16)"}', 'unavailable'],
    [503, '<html>', 'unavailable'],
    [502, inventory, 'unavailable'],
    [403, '<html>Access denied</html>', 'unavailable'],
    [404, '<html>Not found</html>', 'unavailable'],
    [400, 'null', 'unavailable'],
    [302, '', 'unavailable'],
    [200, 'null', 'unavailable'],
    [200, '<html>Sign in</html>', 'unavailable'],
    [200, '{"success":1}', 'unavailable'],
  ] as const) {
    answer = { status: 200, body: page }
    inventoryAnswer = { status, body: text }
    const tradeUrls = givenTradeUrls(http, baseUrl)
    const platformId = '76561197960269970'
    const url = { partner: 4_242, token: 'accept00', platformId, canonical: '' }
    const context = { requestId: 'invalid', tenantId: 'a tenant' }
    assert.equal((await tradeUrls.resolveTradeUrl(url, context)).kind, kind, `${status} ${text}`)
  }
})

test('no page but one that refuses in words that we know refuses a trade URL', async () => {
  const page = (text: string) => `<div id="error_msg">${text}</div>`
  for (const [status, text, kind] of [
    [200, '', 'unavailable'],
    [200, '<html><form action="/login/dologin/">Sign in</form></html>', 'unavailable'],
    [200, page('A sentence that no table knows.'), 'unavailable'],
    [200, page('You have logged in from a new device.'), 'unavailable'],
    [503, page('This Trade URL is no longer valid.'), 'unavailable'],
    [302, '', 'unavailable'],
    [200, page('This Trade URL is no longer valid for sending a trade offer.'), 'refused'],
  ] as const) {
    answer = { status, body: text }
    const url = {
      ...{ partner: 4_242, token: 'accept00', platformId: '76561197960269970', canonical: '' },
    }
    const context = { requestId: 'invalid', tenantId: 'a tenant' }
    const seen = await givenTradeUrls(http, baseUrl).resolveTradeUrl(url, context)
    assert.equal(seen.kind, kind, `${status} ${text}`)
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
