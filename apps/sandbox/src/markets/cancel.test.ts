import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, startHarness } from '../testing/harness.ts'

test('an order is canceled from its third second until its offer is out, at no cost', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const bought = await h.a('buy-for', buyParams(listing, { customId: 'slow', token: 'slowly00' }))
  const early = await h.a('cancel-order', { custom_id: 'slow' })
  assert.deepEqual([early.success, early.code], [false, 41])
  h.advance(3_000)
  const canceled = await h.a('cancel-order', { custom_id: 'slow' })
  assert.deepEqual([canceled.success, String(canceled.id)], [true, String(bought.id)])
  assert.deepEqual(await h.a('cancel-order', { custom_id: 'slow' }), canceled, 'said twice')
  assert.equal((await h.a('get-money')).money, 1_000_000)
  const { data } = await h.a('get-buy-info-by-custom-id', { custom_id: 'slow' })
  assert.equal(String(data.stage), '5')
  assert.equal(data.causer, 'buyer')
  assert.equal(data.cancellation_reason, 'Cancelled by the buyer before sending')
  h.advance(60_000)
  const later = await h.a('get-buy-info-by-custom-id', { custom_id: 'slow' })
  assert.equal(String(later.data.stage), '5', 'the seller sends nothing any more')
  const cheapest = await h.listing('market_a')
  assert.equal(cheapest.priceMills, listing.priceMills, 'its seller lists the item again')
})

test('a sent offer, an ended order and an order of another account are refused', async (t) => {
  const h = await startHarness(t)
  const buy = async (customId: string, token: string) =>
    h.b('buy-one-p2p', buyParams(await h.listing('market_b'), { customId, token }))
  const offered = await buy('offered', 'manual00')
  h.advance(5_000)
  assert.equal((await h.b('cancel-trade', { id: offered.id })).msg, 'Trade was sent already')
  const ended = await buy('ended', 'accept00')
  h.advance(60_000)
  assert.equal((await h.b('cancel-trade', { id: ended.id })).msg, 'Trade is finished')
  assert.equal((await h.b('cancel-trade', { id: '1' })).msg, 'Trade not found')
  assert.equal((await h.a('cancel-order', { custom_id: 'absent' })).code, 40)
})
