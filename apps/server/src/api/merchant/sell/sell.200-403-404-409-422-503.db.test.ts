import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, it } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { anAsset } from '../../../modules/selling/testing/platform.ts'
import {
  givenSuspended,
  givenTrader,
  refusalOf,
  startTradingServer,
  type Trader,
  type TradingServer,
  tradeUrlOf,
  whilePaused,
} from '../testing/trading-server.ts'

let test: TestDatabase
let server: TradingServer
before(async () => {
  test = await testDatabase()
  server = await startTradingServer(test)
})
after(async () => {
  await server.close()
  await test.close()
  assert.deepEqual(server.errors, [])
})

const PATH = '/market/sell'
/** A new asset in the inventory of this account, which the bots buy at 8.00 USD. */
function asset({ platformId }: Trader, facts: Parameters<typeof anAsset>[1] = {}): string {
  const id = String(randomInt(1, 2 ** 47))
  const own = server.platform.items.get(platformId) ?? []
  server.platform.items.set(platformId, [...own, anAsset(id, facts)])
  return id
}
const bodyOf = (assetid: string, facts: object = {}) => ({
  items: [{ assetid, price: '8.00' }],
  ...facts,
})

it('answers the trade and moves no money', async () => {
  const trader = await givenTrader(server, test.db)
  const { status, data } = await trader.client.post(PATH, bodyOf(asset(trader)))
  assert.equal(status, 200)
  assert.deepEqual(data, {
    id: data.id,
    status: 'initiated',
    itemCount: 1,
    totalPrice: 8,
    currency: 'USD',
    createdAt: data.createdAt,
  })
})

it('shows the inventory with quotes', async () => {
  const trader = await givenTrader(server, test.db)
  const id = asset(trader)
  const { status, data } = await trader.client.get('/market/sell/inventory')
  assert.equal(status, 200)
  assert.deepEqual([data.count, data.currency, data.items[0].assetid], [1, 'USD', id])
})

it('answers the first trade again under its externalId', async () => {
  const trader = await givenTrader(server, test.db)
  const body = bodyOf(asset(trader), { externalId: 'one' })
  const first = await trader.client.post(PATH, body)
  assert.deepEqual(await trader.client.post(PATH, body), first)
})

it('403: a suspended account does not sell', async () => {
  const trader = await givenTrader(server, test.db)
  const refused = await trader.client.post(PATH, bodyOf('1'), await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('404: an asset that the inventory has not', async () => {
  const { client } = await givenTrader(server, test.db)
  assert.deepEqual(refusalOf(await client.post(PATH, bodyOf('404'))), [404, 'SELL_ITEM_NOT_FOUND'])
})

it('409: another quote with it, an asset that is not bought or sold already, another body', async () => {
  const trader = await givenTrader(server, test.db)
  const refused = async (body: unknown) => refusalOf(await trader.client.post(PATH, body))
  const id = asset(trader)
  const dear = await trader.client.post(PATH, { items: [{ assetid: id, price: '8.01' }] })
  assert.deepEqual(refusalOf(dear), [409, 'PRICE_MISMATCH'])
  assert.deepEqual(dear.meta, { assetid: id, currentPrice: 8 })
  const locked = asset(trader, { tradable: false })
  assert.deepEqual(await refused(bodyOf(locked)), [409, 'SELL_ITEM_NOT_ACCEPTED'])
  await trader.client.post(PATH, bodyOf(id, { externalId: 'one' }))
  assert.deepEqual(await refused(bodyOf(id)), [409, 'SELL_ITEM_NOT_ACCEPTED'])
  assert.deepEqual(await refused(bodyOf(asset(trader), { externalId: 'one' })), [
    409,
    'IDEMPOTENCY_CONFLICT',
  ])
})

it('422: one asset twice, a body of another form, and an account, URL or inventory that cannot be used', async () => {
  const trader = await givenTrader(server, test.db)
  const refused = async (body: unknown, { client } = trader) =>
    refusalOf(await client.post(PATH, body))
  const id = asset(trader)
  const line = { assetid: id, price: '8.00' }
  assert.deepEqual(await refused({ items: [line, line] }), [422, 'DUPLICATE_LISTING_ID'])
  for (const items of [[], [{ assetid: id }], [{ price: '8.00' }], [{ ...line, price: '-8' }]]) {
    assert.deepEqual(await refused({ items }), [422, 'VALIDATION_FAILED'], JSON.stringify(items))
  }
  const unlinked = await givenTrader(server, test.db, { hasTradeUrl: false })
  assert.deepEqual(await refused(bodyOf(id), unlinked), [422, 'PLATFORM_ACCOUNT_NOT_LINKED'])
  assert.deepEqual(refusalOf(await unlinked.client.get('/market/sell/inventory')), [
    422,
    'PLATFORM_ACCOUNT_NOT_LINKED',
  ])
  const [url] = (await trader.client.get('/user/settings/tradeurls')).data
  assert.deepEqual(await refused(bodyOf(id, { tradeUrl: tradeUrlOf(7) })), [
    422,
    'TRADEURL_PLATFORM_MISMATCH',
  ])
  server.tradeUrls.answers.set('refused0', 'refused')
  assert.deepEqual(await refused(bodyOf(id, { tradeUrl: tradeUrlOf(7, 'refused0') })), [
    422,
    'TRADEURL_INVALID_TOKEN',
  ])
  server.platform.inventory = 'private'
  assert.deepEqual(await refused(bodyOf(id)), [422, 'INVENTORY_PRIVATE'])
  server.platform.inventory = 'public'
  await trader.client.delete(`/user/settings/tradeurls/${url.id}`)
  assert.deepEqual(await refused(bodyOf(id)), [422, 'TRADEURL_REQUIRED'])
})

it('503: no bot, the platform away, trading paused', async () => {
  const trader = await givenTrader(server, test.db)
  const body = bodyOf(asset(trader))
  const refused = async () => refusalOf(await trader.client.post(PATH, body))
  assert.deepEqual(await whilePaused(server, test.db, refused), [503, 'SERVICE_DISABLED'])
  server.platform.inventory = 'away'
  assert.deepEqual(await refused(), [503, 'PLATFORM_UNAVAILABLE'])
  server.platform.inventory = 'public'
  const bots = [...server.platform.bots]
  server.platform.bots.clear()
  assert.deepEqual(await refused(), [503, 'SELL_NO_BOT_AVAILABLE'])
  for (const [id, bot] of bots) server.platform.bots.set(id, bot)
  assert.equal((await trader.client.post(PATH, body)).status, 200)
})
