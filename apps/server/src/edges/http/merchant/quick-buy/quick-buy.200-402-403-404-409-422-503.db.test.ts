import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenItem, givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
import { useServer } from '../testing/merchant-server.ts'
import {
  givenSuspended,
  givenTrader,
  pasted,
  refusalOf,
  startTradingServer,
  tradeUrlOf,
  whileAway,
  whilePaused,
} from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/market/quick-buy'
/** An item with this many listings at 10.00 USD, 10.30 with the service fee. */
async function item(listings: number, phase: string | null = null): Promise<string> {
  const id = await givenItem(edge.db, phase)
  edge.server.items.set(id, { id, game: 'cs2', phase })
  for (let i = 0; i < listings; i++) {
    await givenListing(edge.db, { priceMills: 10_000n, itemId: id })
  }
  return id
}
const bodyOf = (itemId: string, overrides: object = {}) => ({
  itemId,
  maxPrice: '99.00',
  amount: 1,
  delivery: 'standard',
  ...overrides,
})

it('buys what there is, up to the amount, and answers the trade', async () => {
  const { client } = await givenTrader(edge)
  const { status, data } = await client.post(PATH, bodyOf(await item(2), { amount: 3 }))
  assert.equal(status, 200)
  assert.deepEqual(data, {
    id: data.id,
    status: 'initiated',
    requestedCount: 3,
    itemCount: 2,
    totalPrice: 20.6,
    createdAt: data.createdAt,
  })
})

it('answers the first trade again under its externalId', async () => {
  const { client } = await givenTrader(edge)
  const body = bodyOf(await item(1), { externalId: 'one' })
  const first = await client.post(PATH, body)
  assert.deepEqual(await client.post(PATH, body), first)
})

it('takes a trade URL as it was pasted, for the same request as its canonical form', async () => {
  const { client, tradeUrl } = await givenTrader(edge)
  const body = bodyOf(await item(1), { externalId: 'one', tradeUrl })
  const first = await client.post(PATH, { ...body, tradeUrl: pasted(tradeUrl) })
  assert.equal(first.status, 200)
  assert.deepEqual(await client.post(PATH, body), first)
  const refused = await client.post(PATH, { ...body, tradeUrl: tradeUrl.replace('https', 'http') })
  assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'])
  assert.match(JSON.stringify(refused.meta), /such as .*partner=39734273&token=accept00/)
})

it('402: more than the wallet has, with both sums', async () => {
  const { client } = await givenTrader(edge, { balance: 1500n })
  const refused = await client.post(PATH, bodyOf(await item(2), { amount: 2 }))
  assert.deepEqual(refusalOf(refused), [402, 'INSUFFICIENT_BALANCE'])
  assert.deepEqual(refused.meta, { requiredCents: 2060, availableCents: 1500 })
})

it('403: a suspended account does not buy', async () => {
  const trader = await givenTrader(edge)
  const refused = await trader.client.post(PATH, bodyOf('x'), await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('404: an unknown item', async () => {
  const { client } = await givenTrader(edge)
  const refused = await client.post(PATH, bodyOf('00000000000000ff'))
  assert.deepEqual(refusalOf(refused), [404, 'ITEM_NOT_FOUND'])
})

it('409: no listing at the price or in the delivery, and another body under an externalId', async () => {
  const { client } = await givenTrader(edge)
  const id = await item(2)
  const dear = await client.post(PATH, bodyOf(id, { maxPrice: '10.29' }))
  assert.deepEqual(refusalOf(dear), [409, 'NO_LISTING_AT_PRICE'])
  const none = await client.post(PATH, bodyOf(await item(0)))
  assert.deepEqual(refusalOf(none), [409, 'NO_LISTING_AT_PRICE'])
  await client.post(PATH, bodyOf(id, { externalId: 'one' }))
  const other = await client.post(PATH, bodyOf(id, { externalId: 'one', amount: 2 }))
  assert.deepEqual(refusalOf(other), [409, 'IDEMPOTENCY_CONFLICT'])
})

it('422: a body of another form, external ids for other units, a phase that the item has not', async () => {
  const { client } = await givenTrader(edge)
  const id = await item(1)
  for (const overrides of [
    { amount: 0 },
    { amount: 201 },
    { amount: 1.5 },
    { maxPrice: '0' },
    { delivery: 'slow' },
    { phase: 'Phase 9' },
    { phase: 'Ruby' },
    { amount: 2, externalIds: ['one'] },
    { itemId: '' },
  ]) {
    const refused = await client.post(PATH, bodyOf(id, overrides))
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'], JSON.stringify(overrides))
  }
  edge.server.tradeUrls.answers.set('refused0', 'refused')
  const tradeUrl = tradeUrlOf(7, 'refused0')
  assert.deepEqual(refusalOf(await client.post(PATH, bodyOf(id, { tradeUrl }))), [
    422,
    'TRADEURL_INVALID_TOKEN',
  ])
  const without = await givenTrader(edge, { hasTradeUrl: false })
  assert.deepEqual(refusalOf(await without.client.post(PATH, bodyOf(id))), [
    422,
    'TRADEURL_REQUIRED',
  ])
})

it('503: the only market that has it away, the platform away, trading paused', async () => {
  const { client } = await givenTrader(edge)
  const body = bodyOf(await item(1))
  const refused = async (wanted: object = body) => refusalOf(await client.post(PATH, wanted))
  assert.deepEqual(await whileAway(edge, () => refused()), [503, 'MARKET_UNAVAILABLE'])
  assert.deepEqual(await whilePaused(edge, () => refused()), [503, 'SERVICE_DISABLED'])
  edge.server.tradeUrls.answers.set('away0000', 'unavailable')
  assert.deepEqual(await refused({ ...body, tradeUrl: tradeUrlOf(7, 'away0000') }), [
    503,
    'PLATFORM_UNAVAILABLE',
  ])
  assert.equal((await client.post(PATH, body)).status, 200, 'and nothing was taken before')
})
