import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, startHarness } from '../../testing/harness.ts'

test('a purchase goes from placed to settled through the stages of the sheet', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')

  const bought = await h.a('buy-for', buyParams(listing))
  assert.equal(bought.success, true)
  assert.equal(Number(bought.price), listing.priceMills)

  const read = async () => (await h.a('get-buy-info-by-custom-id', { custom_id: 'order-1' })).data
  const placed = await read()
  assert.equal(String(placed.item_id), String(bought.id))
  assert.equal(Number(placed.stage), 1)
  assert.equal(Number(placed.trade_id ?? 0), 0)
  assert.equal(Number(placed.receive_until), 0)
  assert.equal(Number(placed.settlement), 0)
  assert.equal(placed.paid, listing.priceMills / 1000)
  assert.equal(Number(placed.send_until), Number(placed.time) + 300)

  h.advance(700)
  const offered = await read()
  assert.equal(Number(offered.stage), 1)
  assert.ok(Number(offered.trade_id) > 0)
  assert.ok(Number(offered.receive_until) > 0)

  h.advance(1_000)
  const held = await read()
  assert.equal(Number(held.stage), 1)
  assert.equal(Number(held.trade_id ?? 0), 0)
  assert.ok(Number(held.settlement) * 1000 >= h.nowMs() + 18_000)

  h.advance(20_000)
  const settled = await read()
  assert.equal(Number(settled.stage), 2)
})
