import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
import { useServer } from '../testing/merchant-server.ts'
import { givenTrader, refusalOf, startTradingServer } from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/merchant/trades/lookup'

it('answers each externalId in order: its trades, or that there was none', async () => {
  const { client } = await givenTrader(edge)
  const listingId = String(await givenListing(edge.db, { priceMills: 10_000n }))
  const bought = await client.post('/market/buy', {
    externalId: 'one',
    items: [{ listingId, maxPrice: '99.00' }],
  })
  const { status, data } = await client.post(PATH, { externalIds: ['none', 'one'] })
  assert.equal(status, 200)
  assert.deepEqual(
    data.results.map((one: { externalId: string; status: string; total: number }) => [
      one.externalId,
      one.status,
      one.total,
    ]),
    [
      ['none', 'never_seen', 0],
      ['one', 'found', 1],
    ],
  )
  assert.equal(data.results[1].trades[0].id, bought.data.id)
  const other = await givenTrader(edge)
  const theirs = await other.client.post(PATH, { externalIds: ['one'] })
  assert.equal(theirs.data.results[0].status, 'never_seen', 'of another merchant')
})

it('403: on behalf of a sub-user', async () => {
  const { client } = await givenTrader(edge)
  await client.post('/merchant/users', { externalId: 'u1' })
  const refused = await client.post(PATH, { externalIds: ['one'] }, { 'on-behalf-of': 'u1' })
  assert.deepEqual(refusalOf(refused), [403, 'FORBIDDEN'])
})

it('422: none, more than a hundred, or one that is too long', async () => {
  const { client } = await givenTrader(edge)
  for (const externalIds of [
    [],
    Array.from({ length: 101 }, (_, i) => `${i}`),
    ['x'.repeat(129)],
  ]) {
    const refused = await client.post(PATH, { externalIds })
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'])
  }
})
