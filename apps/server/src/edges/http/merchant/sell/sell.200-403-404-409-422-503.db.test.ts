import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import { anAsset } from '../../../../modules/trading/selling/testing/platform.ts'
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

const PATH = '/market/sell'
/** A new asset in the inventory of this account, which the bots buy at 8.00 USD. */
function asset({ platformId }: Trader, overrides: Parameters<typeof anAsset>[1] = {}): string {
  const id = String(randomInt(1, 2 ** 47))
  const own = edge.server.platform.items.get(platformId) ?? []
  edge.server.platform.items.set(platformId, [...own, anAsset(id, overrides)])
  return id
}
const bodyOf = (assetid: string, overrides: object = {}) => ({
  items: [{ assetid, price: '8.00' }],
  ...overrides,
})

it('answers the trade and moves no money', async () => {
  const trader = await givenTrader(edge)
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
  const trader = await givenTrader(edge)
  const id = asset(trader)
  const { status, data } = await trader.client.get('/market/sell/inventory')
  assert.equal(status, 200)
  assert.deepEqual([data.count, data.currency, data.items[0].assetid], [1, 'USD', id])
})

it('answers the first trade again under its externalId', async () => {
  const trader = await givenTrader(edge)
  const body = bodyOf(asset(trader), { externalId: 'one' })
  const first = await trader.client.post(PATH, body)
  assert.deepEqual(await trader.client.post(PATH, body), first)
})

it('takes a trade URL as it was pasted, for the same request as its canonical form', async () => {
  const trader = await givenTrader(edge)
  const { client, tradeUrl } = trader
  const body = bodyOf(asset(trader), { externalId: 'one', tradeUrl })
  const first = await client.post(PATH, { ...body, tradeUrl: pasted(tradeUrl) })
  assert.equal(first.status, 200)
  assert.deepEqual(await client.post(PATH, body), first)
})

it('403: a suspended account does not sell', async () => {
  const trader = await givenTrader(edge)
  const refused = await trader.client.post(PATH, bodyOf('1'), await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('404: an asset that the inventory has not', async () => {
  const { client } = await givenTrader(edge)
  assert.deepEqual(refusalOf(await client.post(PATH, bodyOf('404'))), [404, 'SELL_ITEM_NOT_FOUND'])
})

it('409: another quote with it, an asset that is not bought or sold already, another body', async () => {
  const trader = await givenTrader(edge)
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
  const trader = await givenTrader(edge)
  const refused = async (body: unknown, { client } = trader) =>
    refusalOf(await client.post(PATH, body))
  const id = asset(trader)
  const line = { assetid: id, price: '8.00' }
  assert.deepEqual(await refused({ items: [line, line] }), [422, 'DUPLICATE_LISTING_ID'])
  for (const items of [[], [{ assetid: id }], [{ price: '8.00' }], [{ ...line, price: '-8' }]]) {
    assert.deepEqual(await refused({ items }), [422, 'VALIDATION_FAILED'], JSON.stringify(items))
  }
  const unlinked = await givenTrader(edge, { hasTradeUrl: false })
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
  edge.server.tradeUrls.answers.set('refused0', 'refused')
  assert.deepEqual(await refused(bodyOf(id, { tradeUrl: tradeUrlOf(7, 'refused0') })), [
    422,
    'TRADEURL_INVALID_TOKEN',
  ])
  edge.server.platform.inventory = 'private'
  assert.deepEqual(await refused(bodyOf(id)), [422, 'INVENTORY_PRIVATE'])
  edge.server.platform.inventory = 'public'
  await trader.client.delete(`/user/settings/tradeurls/${url.id}`)
  assert.deepEqual(await refused(bodyOf(id)), [422, 'TRADEURL_REQUIRED'])
})

it('503: no bot, the platform away, trading paused', async () => {
  const trader = await givenTrader(edge)
  const body = bodyOf(asset(trader))
  const refused = async () => refusalOf(await trader.client.post(PATH, body))
  assert.deepEqual(await whilePaused(edge, refused), [503, 'SERVICE_DISABLED'])
  edge.server.platform.inventory = 'away'
  assert.deepEqual(await refused(), [503, 'PLATFORM_UNAVAILABLE'])
  edge.server.platform.inventory = 'public'
  const bots = [...edge.server.platform.bots]
  edge.server.platform.bots.clear()
  assert.deepEqual(await refused(), [503, 'SELL_NO_BOT_AVAILABLE'])
  for (const [id, bot] of bots) edge.server.platform.bots.set(id, bot)
  assert.equal((await trader.client.post(PATH, body)).status, 200)
})
