import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
import { placeRound } from '../../../../modules/trading/buying/testing/rounds.ts'
import { useServer } from '../testing/merchant-server.ts'
import {
  givenTrader,
  refusalOf,
  startTradingServer,
  type Trader,
} from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

/** A trade of items that wait to be placed, with their ids. */
async function bought({ client }: Trader, count = 1): Promise<{ id: string; itemIds: string[] }> {
  const items = []
  for (let i = 0; i < count; i++) {
    const listingId = String(await givenListing(edge.db, { priceMills: 10_000n }))
    items.push({ listingId, maxPrice: '99.00', externalId: `unit-${i}` })
  }
  const externalId = `trade-${items[0]?.listingId}`
  const { data } = await client.post('/market/buy', { externalId, items })
  const found = await client.post('/merchant/trades/lookup', { externalIds: [externalId] })
  const [trade] = found.data.results[0].trades
  return { id: data.id, itemIds: trade.items.map((item: { id: string }) => item.id) }
}
const tradePath = (id: string): string => `/market/transactions/${id}/cancel`
const itemPath = (id: string, item: string): string =>
  `/market/transactions/${id}/items/${item}/cancel`
const place = () =>
  placeRound({
    db: edge.db,
    clock: edge.server.clock,
    market: edge.server.supplier,
    concurrency: 4,
  })

it('cancels every item that waits, and says so of each', async () => {
  const trader = await givenTrader(edge)
  const { id, itemIds } = await bought(trader, 2)
  const { status, data } = await trader.client.post(tradePath(id))
  assert.equal(status, 200)
  assert.deepEqual(data, {
    tradeId: id,
    requested: 2,
    cancelled: 2,
    failed: 0,
    items: itemIds.map((itemId, i) => ({ itemId, externalId: `unit-${i}`, status: 'cancelled' })),
  })
})

it('cancels one item, named by its id or by its externalId', async () => {
  const trader = await givenTrader(edge)
  const { id, itemIds } = await bought(trader, 2)
  for (const [name, itemId] of [
    [itemIds[0] ?? '', itemIds[0]],
    ['unit-1', itemIds[1]],
  ] as const) {
    const { status, data } = await trader.client.post(itemPath(id, name))
    assert.equal(status, 200)
    assert.deepEqual(data, { itemId, status: 'cancelled' })
  }
})

it('404: a trade of another account or of none, and an item that the trade has not', async () => {
  const trader = await givenTrader(edge)
  const { id, itemIds } = await bought(trader)
  const other = await givenTrader(edge)
  for (const path of [tradePath(id), itemPath(id, itemIds[0] ?? '')]) {
    assert.deepEqual(refusalOf(await other.client.post(path)), [404, 'TRADE_NOT_FOUND'])
  }
  const none = await trader.client.post(tradePath('01890000-0000-7000-8000-000000000000'))
  assert.deepEqual(refusalOf(none), [404, 'TRADE_NOT_FOUND'])
  for (const item of ['unit-9', id]) {
    assert.deepEqual(refusalOf(await trader.client.post(itemPath(id, item))), [
      404,
      'ITEM_NOT_FOUND',
    ])
  }
})

it('409: too soon for its market, without a turn in time, and over', async () => {
  const trader = await givenTrader(edge)
  const { id, itemIds } = await bought(trader)
  const path = itemPath(id, itemIds[0] ?? '')
  const cancel = async () => refusalOf(await trader.client.post(path))
  await place()
  assert.deepEqual(await cancel(), [409, 'TRADE_CANCEL_TOO_SOON'])
  edge.server.clock.advance(4000)
  edge.server.supplier.cancelAnswers.push({ kind: 'not-sent', detail: 'no turn' })
  assert.deepEqual(await cancel(), [409, 'TRADE_CANCEL_PENDING'])
  assert.equal((await trader.client.post(path)).data.status, 'cancelled')
  assert.deepEqual(await cancel(), [409, 'TRADE_NOT_CANCELLABLE'])
  assert.deepEqual(refusalOf(await trader.client.post(tradePath(id))), [
    409,
    'TRADE_NOT_CANCELLABLE',
  ])
})

it('says of an item whose market gave no answer that it was not canceled', async () => {
  const trader = await givenTrader(edge)
  const { id, itemIds } = await bought(trader)
  await place()
  edge.server.clock.advance(4000)
  edge.server.supplier.cancelAnswers.push({ kind: 'unknown', detail: 'lost' })
  const { status, data } = await trader.client.post(itemPath(id, itemIds[0] ?? ''))
  assert.deepEqual([status, data.status], [200, 'failed'])
})

it('422: an id of a trade that is none', async () => {
  const { client } = await givenTrader(edge)
  assert.deepEqual(refusalOf(await client.post(tradePath('one'))), [422, 'VALIDATION_FAILED'])
})
