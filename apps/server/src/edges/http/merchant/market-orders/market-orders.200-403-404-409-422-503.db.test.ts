import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changeKey, issueKey, rotateKey } from '#identity'
import { sql } from '#infra/database/db'
import { cents } from '#kernel/money'
import { givenItem } from '../../../../modules/trading/buying/testing/buyers.ts'
import { useServer } from '../testing/merchant-server.ts'
import {
  givenSuspended,
  givenTrader,
  pasted,
  refusalOf,
  startTradingServer,
  type Trader,
  tradeUrlOf,
  whilePaused,
} from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/market/orders'
const DAY_MS = 24 * 3_600_000
const UNKNOWN = '01890000-0000-7000-8000-000000000000'

async function item(phase: string | null = null): Promise<string> {
  const id = await givenItem(edge.db, phase)
  edge.server.items.set(id, { id, game: 'cs2', phase })
  return id
}
const bodyOf = (itemId: string, overrides: object = {}) => ({
  ...{ externalId: 'order-1', itemId, maxPrice: '10.30', quantity: 2 },
  ...overrides,
})
const inDays = (days: number): string =>
  new Date(edge.server.clock.now().getTime() + days * DAY_MS).toISOString()

async function ordered({ client }: Trader, overrides: object = {}) {
  const { data } = await client.post(PATH, bodyOf(await item(), overrides))
  return data
}

it('creates an order with what was given, and answers it again under its externalId', async () => {
  const { id: userId, client } = await givenTrader(edge)
  const itemId = await item()
  const filters = { delivery: 'instant', minWear: 0.15, maxWear: 0.2, paintSeeds: [7, 9] }
  const body = bodyOf(itemId, filters)
  const { status, data } = await client.post(PATH, body)
  assert.equal(status, 200)
  assert.deepEqual(data, {
    ...{ id: data.id, externalId: 'order-1', userId, userExternalId: null, itemId },
    ...{ marketHashName: 'AK-47 | Redline (Field-Tested)', status: 'open', pausedReason: null },
    ...{ maxPrice: 10.3, currency: 'USD', quantity: 2, filled: 0, pending: 0, filters },
    ...{ tradeUrl: null, trades: [], expiresAt: inDays(30) },
    ...{ createdAt: data.createdAt, updatedAt: data.updatedAt },
  })
  assert.deepEqual((await client.post(PATH, body)).data, data)
  const other = await client.post(PATH, { ...body, quantity: 3 })
  assert.deepEqual(refusalOf(other), [409, 'IDEMPOTENCY_CONFLICT'])
})

it('keeps the trade URL in its canonical form, and the phase by the item that has it', async () => {
  const { client, tradeUrl } = await givenTrader(edge, { hasTradeUrl: false })
  const without = await client.post(PATH, bodyOf(await item()))
  assert.deepEqual(refusalOf(without), [422, 'TRADEURL_REQUIRED'])
  const ruby = await item('Ruby')
  edge.server.siblings.set('Ruby', { id: ruby, game: 'cs2', phase: 'Ruby' })
  const asked = { tradeUrl: pasted(tradeUrl), phase: 'Ruby' }
  const { data } = await client.post(PATH, bodyOf(await item(), asked))
  assert.deepEqual([data.tradeUrl, data.itemId, data.filters], [tradeUrl, ruby, { phase: 'Ruby' }])
})

it('lists the orders of the account alone, newest first, by state, item and externalId', async () => {
  const trader = await givenTrader(edge)
  const [first, second] = [
    await ordered(trader, { externalId: 'a' }),
    await ordered(trader, { externalId: 'b' }),
  ]
  await trader.client.post('/merchant/users', { externalId: 'bob' })
  const asBob = { 'on-behalf-of': 'bob' }
  const tradeUrl = tradeUrlOf(8)
  const ofBob = await trader.client.post(PATH, bodyOf(await item(), { tradeUrl }), asBob)
  assert.deepEqual([ofBob.status, ofBob.data.userExternalId], [200, 'bob'])
  await trader.client.post(`${PATH}/${first.id}/cancel`)
  const list = async (query: string, headers = {}) => {
    const { data } = await trader.client.get(`${PATH}?${query}`, headers)
    return [data.items.map(({ id }: { id: string }) => id), data.nextCursor]
  }
  assert.deepEqual(await list(''), [[second.id, first.id], null])
  assert.deepEqual(await list('limit=1'), [[second.id], second.id])
  assert.deepEqual(await list(`cursor=${second.id}`), [[first.id], null])
  assert.deepEqual(await list('status=cancelled'), [[first.id], null])
  assert.deepEqual(await list(`itemId=${second.itemId}`), [[second.id], null])
  assert.deepEqual(await list('externalId=a'), [[first.id], null])
  assert.deepEqual(await list('externalId=none'), [[], null])
  assert.deepEqual(await list('', asBob), [[ofBob.data.id], null])
  const path = `${PATH}/${ofBob.data.id}`
  assert.deepEqual(refusalOf(await trader.client.get(path)), [404, 'MARKET_ORDER_NOT_FOUND'])
  assert.equal((await trader.client.get(path, asBob)).status, 200)
})

it('changes an order, and cancels it once and for all', async () => {
  const trader = await givenTrader(edge)
  const { id } = await ordered(trader)
  const path = `${PATH}/${id}`
  const to = { maxPrice: '11.00', quantity: 5, expiresAt: inDays(90) }
  const { data } = await trader.client.patch(path, to)
  assert.deepEqual([data.maxPrice, data.quantity, data.expiresAt], [11, 5, inDays(90)])
  for (let i = 0; i < 2; i++) {
    const canceled = await trader.client.post(`${path}/cancel`)
    assert.deepEqual([canceled.status, canceled.data.status], [200, 'cancelled'])
  }
  const closed = await trader.client.patch(path, { quantity: 6 })
  assert.deepEqual(refusalOf(closed), [409, 'MARKET_ORDER_CLOSED'])
})

it('403: a suspended account orders nothing', async () => {
  const trader = await givenTrader(edge)
  const refused = await trader.client.post(PATH, bodyOf('x'), await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('403: a key with a spend limit raises no order whose fills count under another limit, or none', async () => {
  const trader = await givenTrader(edge)
  const at = edge.server.clock.now()
  const spendLimit = { amountCents: cents(500n), window: 'month' } as const
  const environment = 'test'
  const [key, rotated] = await edge.db.transaction(async (tx) => {
    const order = { accountId: trader.id, kind: 'merchant', name: 'bounded' } as const
    const issued = await issueKey(tx, { ...order, environment, at })
    await changeKey(tx, issued.id, { spendLimit }, at)
    const overlapUntil = new Date(inDays(1))
    return [issued, await rotateKey(tx, issued.id, { overlapUntil, environment, at })]
  })
  const bounded = edge.server.as(key.secret)
  const { id } = await ordered(trader)
  const path = `${PATH}/${id}`
  const later = { expiresAt: inDays(60) }
  for (const more of [{ maxPrice: '10.31' }, { quantity: 3 }, later]) {
    assert.deepEqual(refusalOf(await bounded.patch(path, more)), [403, 'FORBIDDEN'])
  }
  const less = { maxPrice: '10.29', quantity: 1, expiresAt: inDays(20) }
  assert.equal((await bounded.patch(path, less)).status, 200)
  const own = await bounded.post(PATH, bodyOf(await item(), { externalId: 'own' }))
  const ownPath = `${PATH}/${own.data.id}`
  for (const key of [bounded, edge.server.as(rotated.secret), trader.client]) {
    assert.equal((await key.patch(ownPath, { quantity: 3, ...later })).status, 200)
  }
})

it('404: an unknown item, an order of another account and of none', async () => {
  const trader = await givenTrader(edge)
  const { client: otherTenant } = await givenTrader(edge)
  const unknown = await trader.client.post(PATH, bodyOf('00000000000000ff'))
  assert.deepEqual(refusalOf(unknown), [404, 'ITEM_NOT_FOUND'])
  const { id } = await ordered(trader)
  for (const path of [`${PATH}/${id}`, `${PATH}/${UNKNOWN}`]) {
    for (const answer of [
      await otherTenant.get(path),
      await otherTenant.patch(path, { quantity: 1 }),
      await otherTenant.post(`${path}/cancel`),
    ]) {
      assert.deepEqual(refusalOf(answer), [404, 'MARKET_ORDER_NOT_FOUND'])
    }
  }
})

const FILL_UP = sql(
  'testing.fill_up',
  `insert into bidding.market_order (tenant_id, account_id, external_id, request_hash, item_id, market_hash_name, filters,
     instant_only, currency, max_price, quantity, status, expires_at, created_at, updated_at)
   select tenant_id, account_id, uuidv7()::text, request_hash, item_id, market_hash_name, filters, instant_only, currency,
     max_price, quantity, 'open', expires_at, created_at, updated_at
   from bidding.market_order cross join generate_series(1, 199) where id = $1`,
)
it('409: the account has 200 orders, paused ones included', async () => {
  const trader = await givenTrader(edge)
  await edge.db.query(FILL_UP, [(await ordered(trader)).id])
  const refused = await trader.client.post(PATH, bodyOf(await item(), { externalId: 'more' }))
  assert.deepEqual(refusalOf(refused), [409, 'MARKET_ORDER_LIMIT_REACHED'])
})

it('422: a body of another form, and bounds that nothing fits', async () => {
  const trader = await givenTrader(edge)
  const itemId = await item()
  for (const overrides of [
    ...[{ quantity: 0 }, { quantity: 101 }, { quantity: undefined }, { externalId: undefined }],
    ...[{ maxPrice: '0' }, { maxPrice: 10 }, { delivery: 'slow' }, { minWear: 1.1 }],
    ...[{ minWear: 0.3, maxWear: 0.2 }, { paintSeeds: [] }, { paintSeeds: [0.5] }],
    { paintSeeds: Array.from({ length: 51 }, (_, i) => i) },
    ...[{ phase: 'Emerald' }, { expiresAt: inDays(-1) }, { expiresAt: inDays(91) }, { unknown: 1 }],
  ]) {
    const refused = await trader.client.post(PATH, bodyOf(itemId, overrides))
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'], JSON.stringify(overrides))
  }
  const { id } = await ordered(trader)
  for (const change of [
    ...[{}, { quantity: 0 }, { expiresAt: inDays(-1) }, { expiresAt: inDays(91) }],
    { tradeUrl: trader.tradeUrl },
  ]) {
    const refused = await trader.client.patch(`${PATH}/${id}`, change)
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'], JSON.stringify(change))
  }
  edge.server.tradeUrls.answers.set('refused0', 'refused')
  const bad = { tradeUrl: tradeUrlOf(7, 'refused0'), externalId: 'bad' }
  assert.deepEqual(refusalOf(await trader.client.post(PATH, bodyOf(itemId, bad))), [
    422,
    'TRADEURL_INVALID_TOKEN',
  ])
})

const DISPATCH = sql('testing.dispatch', 'select count(*) from outbox.dispatch(1000, now())')
it('503: no worker lives, the platform is away; while trading is paused an order is taken, and paused', async () => {
  const { client } = await givenTrader(edge)
  const itemId = await item()
  edge.server.workers.areSilent = true
  const silent = await client.post(PATH, bodyOf(itemId))
  edge.server.workers.areSilent = false
  assert.deepEqual(refusalOf(silent), [503, 'SERVICE_DISABLED'])
  edge.server.tradeUrls.answers.set('away0000', 'unavailable')
  const away = await client.post(PATH, bodyOf(itemId, { tradeUrl: tradeUrlOf(7, 'away0000') }))
  assert.deepEqual(refusalOf(away), [503, 'PLATFORM_UNAVAILABLE'])
  const { data } = await whilePaused(edge, () => client.post(PATH, bodyOf(itemId)))
  assert.deepEqual([data.status, data.pausedReason], ['paused', 'SERVICE_DISABLED'])
  await edge.db.query(DISPATCH)
  const { data: page } = await client.get('/merchant/events?type=market_order.paused')
  assert.deepEqual(
    page.items.map((event: { data: object }) => event.data),
    [{ order: data }],
  )
})
