// Market B's gate forbids our address: what waits goes back, and only section 6's fifteen minutes refund it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, it } from 'node:test'
import { createPlacing, noteReading } from '#buying'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { readTrades } from '#trades'
import { createMarketB } from '../adapters/market-b/index.ts'
import { wholePages } from '../adapters/shared/testing/whole-pages.ts'
import { balanceOf, givenTrade } from '../modules/trading/buying/testing/buyers.ts'

const MINUTE = 60_000
let database: TestDatabase
let http: HttpClient
let clock: ManualClock
let isForbidden = true
let bought: string[] = []

const gate = createServer((request, reply) => {
  if (isForbidden) {
    reply.writeHead(403, { 'content-type': 'text/plain' }).end('Forbidden')
    return
  }
  const { searchParams: query, pathname } = new URL(request.url ?? '', 'http://market')
  if (pathname === '/v1/user') {
    reply
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: true, user: { wallet: 1_000_000 } }))
    return
  }
  bought.push(query.get('project_id') ?? '')
  reply
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ success: true, id: 4711, price: Number(query.get('price')) }))
})

before(async () => {
  database = await testDatabase()
  http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  gate.listen(0, '127.0.0.1')
  await new Promise((resolve) => gate.once('listening', resolve))
})
after(async () => {
  await http.close()
  gate.closeAllConnections()
  gate.close()
  await database.close()
})
beforeEach(() => {
  clock = manualClock(new Date('2026-11-28T12:00:00.000Z'))
  isForbidden = true
  bought = []
})

async function givenBuy() {
  const { db } = database
  const { tradeId, buyer } = await givenTrade({ db, clock })
  const { market } = createMarketB({
    keepPages: wholePages,
    baseUrl: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    ...{ apiKey: 'k', callsPerMinute: 0, http, clock, rng: Math.random, log: silentLog },
    metrics: createMetrics(),
    reserveSlot: async () => ({ kind: 'granted', waitMs: 0, giveBack: async () => {} }) as const,
  })
  /** As the health of the market does each minute. */
  const readBalance = async () => {
    const askedAt = clock.now()
    const balance = await market.balance({ requestId: newId() })
    if (!('mills' in balance)) return
    const said = { kind: 'served', balanceMills: balance.mills, currency: 'USD' } as const
    await noteReading(
      db,
      { market: 'market_b', account: 'main' },
      { reading: { askedAt, said }, at: clock.now() },
    )
  }
  const place = () =>
    createPlacing({
      ...{ db, clock, market, holdMs: MINUTE, leaseMs: 60_000, giveUpMs: 15 * MINUTE },
      ...{ isMarketAvailable: async () => true, concurrency: 4 },
      onCase: (kind) => assert.fail(`an unexpected case: ${kind}`),
    })(new AbortController().signal)
  const item = async () => {
    const [trade] = await readTrades(db, [tradeId])
    assert.ok(trade?.items[0])
    return trade.items[0]
  }
  return { place, readBalance, item, balance: () => balanceOf(db, buyer.accountId, 'spot') }
}

it('an order at a market that answers 403 is not failed by the refusal, and is placed once it is served', async () => {
  const buy = await givenBuy()
  for (let minute = 0; minute < 14; minute++) {
    await buy.place()
    await buy.readBalance()
    assert.equal((await buy.item()).status, 'initiated')
    clock.advance(MINUTE)
  }
  isForbidden = false
  await buy.place()
  assert.deepEqual(bought, [], 'nothing is sent before our account is served')
  await buy.readBalance()
  await buy.place()
  assert.equal((await buy.item()).status, 'pending')
  assert.deepEqual(bought, [(await buy.item()).id])
})

it('it is refunded only by the fifteen minutes', async () => {
  const buy = await givenBuy()
  await buy.place()
  clock.advance(15 * MINUTE - 1000)
  await buy.place()
  assert.equal((await buy.item()).status, 'initiated')
  clock.advance(1000)
  await buy.place()
  const { status, failure } = await buy.item()
  assert.deepEqual([status, failure, await buy.balance()], ['failed', 'MARKET_UNAVAILABLE', 5000n])
  assert.deepEqual(bought, [])
})
