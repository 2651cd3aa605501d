import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
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

const PATH = '/market/buy'
/** 10.00 USD at the market, 10.30 with the service fee. */
const listing = async (): Promise<string> =>
  String(await givenListing(edge.db, { priceMills: 10_000n }))
const bodyOf = (listingId: string, overrides: object = {}) => ({
  items: [{ listingId, maxPrice: '99.00' }],
  ...overrides,
})

it('takes the total from the wallet and answers the trade', async () => {
  const { client } = await givenTrader(edge)
  const { status, data } = await client.post(PATH, bodyOf(await listing()))
  assert.equal(status, 200)
  assert.deepEqual(data, {
    id: data.id,
    status: 'initiated',
    itemCount: 1,
    totalPrice: 10.3,
    createdAt: data.createdAt,
  })
  const [found] = (await client.post('/merchant/trades/lookup', { externalIds: ['none'] })).data
    .results
  assert.equal(found.total, 0, 'a trade without an external id has none')
})

it('answers the first trade again under its externalId', async () => {
  const { client } = await givenTrader(edge)
  const body = bodyOf(await listing(), { externalId: 'one' })
  const first = await client.post(PATH, body)
  assert.deepEqual(await client.post(PATH, body), first)
})

it('takes a trade URL as it was pasted, for the same request as its canonical form', async () => {
  const { client, tradeUrl } = await givenTrader(edge)
  const body = bodyOf(await listing(), { externalId: 'one', tradeUrl })
  const first = await client.post(PATH, { ...body, tradeUrl: pasted(tradeUrl) })
  assert.equal(first.status, 200)
  assert.deepEqual(await client.post(PATH, body), first)
  const refused = await client.post(PATH, { ...body, tradeUrl: tradeUrl.replace('https', 'http') })
  assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'])
  assert.match(JSON.stringify(refused.meta), /such as .*partner=39734273&token=accept00/)
})

it('402: more than the wallet has, with both sums', async () => {
  const { client } = await givenTrader(edge, { balance: 1029n })
  const refused = await client.post(PATH, bodyOf(await listing()))
  assert.deepEqual(refusalOf(refused), [402, 'INSUFFICIENT_BALANCE'])
  assert.deepEqual(refused.meta, { requiredCents: 1030, availableCents: 1029 })
})

it('403: a suspended account does not buy', async () => {
  const trader = await givenTrader(edge)
  const refused = await trader.client.post(PATH, bodyOf('1'), await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('404: a listing that does not exist or is sold, and an unknown sub-user', async () => {
  const { client } = await givenTrader(edge)
  const sold = await listing()
  await client.post(PATH, bodyOf(sold))
  for (const id of [sold, '999999999']) {
    assert.deepEqual(refusalOf(await client.post(PATH, bodyOf(id))), [404, 'LISTING_NOT_FOUND'])
  }
  const refused = await client.post(PATH, bodyOf(sold), { 'on-behalf-of': 'absent' })
  assert.deepEqual(refusalOf(refused), [404, 'USER_NOT_FOUND'])
})

it('409: a dearer listing with its price, and another body under an externalId', async () => {
  const { client } = await givenTrader(edge)
  const id = await listing()
  const dearer = await client.post(PATH, { items: [{ listingId: id, maxPrice: '10.29' }] })
  assert.deepEqual(refusalOf(dearer), [409, 'PRICE_MISMATCH'])
  assert.deepEqual(dearer.meta, { listingId: id, currentPrice: 10.3 })
  await client.post(PATH, bodyOf(id, { externalId: 'one' }))
  const other = await client.post(PATH, bodyOf(await listing(), { externalId: 'one' }))
  assert.deepEqual(refusalOf(other), [409, 'IDEMPOTENCY_CONFLICT'])
})

it('422: one listing twice, a body of another form, and a trade URL that is missing or refused', async () => {
  const { client } = await givenTrader(edge)
  const id = await listing()
  const line = { listingId: id, maxPrice: '99.00' }
  const refused = async (body: unknown) => refusalOf(await client.post(PATH, body))
  assert.deepEqual(await refused({ items: [line, line] }), [422, 'DUPLICATE_LISTING_ID'])
  for (const items of [
    [],
    [{ listingId: id }],
    [{ maxPrice: '99.00' }],
    [{ ...line, maxPrice: '0' }],
    [{ ...line, maxPrice: 99 }],
    [{ ...line, listingRawId: 'market_b:1' }],
    [
      { ...line, externalId: 'same' },
      { listingId: '2', maxPrice: '1', externalId: 'same' },
    ],
  ]) {
    assert.deepEqual(await refused({ items }), [422, 'VALIDATION_FAILED'], JSON.stringify(items))
  }
  edge.server.tradeUrls.answers.set('refused0', 'refused')
  assert.deepEqual(await refused({ items: [line], tradeUrl: tradeUrlOf(7, 'refused0') }), [
    422,
    'TRADEURL_INVALID_TOKEN',
  ])
  const without = await givenTrader(edge, { hasTradeUrl: false })
  assert.deepEqual(refusalOf(await without.client.post(PATH, bodyOf(id))), [
    422,
    'TRADEURL_REQUIRED',
  ])
})

it('503: the market away, the platform away, trading paused', async () => {
  const { client } = await givenTrader(edge)
  const body = bodyOf(await listing())
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
