import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenListing } from '../../../../modules/trading/buying/testing/buyers.ts'
import { useServer } from '../testing/merchant-server.ts'
import { givenTrader, refusalOf, startTradingServer } from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const pathOf = (tradeId: string): string => `/market/transactions/${tradeId}/timeline`

it('lists the request, the steps, the money and the events by rising time', async () => {
  const { client } = await givenTrader(edge)
  const listingId = String(await givenListing(edge.db, { priceMills: 10_000n }))
  const bought = await client.post('/market/buy', { items: [{ listingId, maxPrice: '99.00' }] })
  edge.server.clock.advance(1000)
  await client.post(`/market/transactions/${bought.data.id}/cancel`)
  const { status, data } = await client.get(pathOf(bought.data.id))
  assert.equal(status, 200)
  assert.deepEqual([data.tradeId, data.currency], [bought.data.id, 'USD'])
  const entries: { at: string; kind: string; what: string; amount: number | null }[] = data.entries
  assert.deepEqual(
    entries.map(({ kind, what, amount }) => [kind, what, amount]),
    [
      ['request', 'buy', null],
      ['money', 'trade_payment', -10.3],
      ['event', 'trade.initiated', null],
      ['item', 'moved', null],
      ['money', 'trade_refund', 10.3],
      ['event', 'trade.canceled', null],
      ['event', 'trade.refunded', null],
    ],
  )
  assert.deepEqual(
    entries.map(({ at }) => at),
    entries.map(({ at }) => at).sort(),
  )
})

it('404: a trade of another account, or none', async () => {
  const { client } = await givenTrader(edge)
  const listingId = String(await givenListing(edge.db, { priceMills: 10_000n }))
  const bought = await client.post('/market/buy', { items: [{ listingId, maxPrice: '99.00' }] })
  const other = await givenTrader(edge)
  for (const id of [bought.data.id, '01890000-0000-7000-8000-000000000000']) {
    assert.deepEqual(refusalOf(await other.client.get(pathOf(id))), [404, 'TRADE_NOT_FOUND'])
  }
})

it('422: an id of a trade that is none', async () => {
  const { client } = await givenTrader(edge)
  assert.deepEqual(refusalOf(await client.get(pathOf('one'))), [422, 'VALIDATION_FAILED'])
})
