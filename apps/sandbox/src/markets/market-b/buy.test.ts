import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Harness, type Json, startHarness } from '../../testing/harness.ts'

const tradeOf = async (h: Harness, projectId = 'order-1'): Promise<Json> =>
  (await h.b('check-many-project-id', { id: projectId })).trades[0]

test('a purchase passes through all statuses to the release', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  const bought = await h.b('buy-one-p2p', buyParams(listing))
  assert.deepEqual(bought, { success: true, id: bought.id, price: listing.priceMills })
  assert.equal(typeof bought.id, 'number')

  const ladder = new Map<number, Json>()
  for (let step = 0; step < 40; step += 1) {
    const trade = await tradeOf(h)
    ladder.set(trade.status, trade)
    if (trade.release_date !== null) break
    h.advance(50)
  }
  assert.deepEqual([...ladder.keys()], [0, 2, 4])
  assert.equal(ladder.get(0)?.trade_id, null)
  assert.match(ladder.get(2)?.trade_id, /^\d{10}$/)
  const held = ladder.get(4) as Json
  assert.equal(held.id, bought.id)
  assert.equal(held.project_id, 'order-1')
  assert.equal(held.for_steamid64, '76561197960269970')
  assert.equal(held.price, listing.priceMills)
  assert.equal(held.is_released, false)
  assert.equal(held.done, false)
  assert.match(held.send_until, /^\d{10}$/)
  assert.ok(Date.parse(held.release_date) > h.nowMs() + 18_000)

  h.advance(20_000)
  const released = await tradeOf(h)
  assert.equal(released.is_released, true)
  assert.equal(released.done, true)
})

test('of two released trades one has status 5 and the other only is_released', async (t) => {
  const h = await startHarness(t)
  for (const customId of ['one', 'two']) {
    await h.b('buy-one-p2p', buyParams(await h.listing('market_b'), { customId }))
  }
  h.advance(30_000)
  const { trades } = await h.b('check-many-project-id', { id: ['one', 'two'] })
  assert.deepEqual(trades.map((trade: Json) => trade.status).sort(), [4, 5])
})

test('a purchase by name finds the phase in the name', async (t) => {
  const h = await startHarness(t)
  const ruby = await h.listing('market_b', 'ruby')
  const bought = await h.b('buy-one-p2p-name', {
    ...buyParams(ruby),
    name: '★ Karambit | Doppler Ruby (Factory New)',
    game: 'csgo',
  })
  assert.equal(bought.price, ruby.priceMills)
  assert.equal((await tradeOf(h)).name, '★ Karambit | Doppler Ruby (Factory New)')
})

test('a price above the ceiling is refused with the new price', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  assert.deepEqual(await h.b('buy-one-p2p', { ...buyParams(listing), price: 10 }), {
    success: false,
    msg: 'Price changed',
    new_price: listing.priceMills,
  })
})

test('a listing that is sold, unknown or trade locked is refused as sold', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  await h.b('buy-one-p2p', buyParams(listing))
  const again = buyParams(listing, { customId: 'order-2' })
  assert.equal((await h.b('buy-one-p2p', again)).msg, 'Item sold')

  const locked = await startHarness(t, { marketB: { lockedOneIn: 1 } })
  const params = buyParams(await locked.listing('market_b'))
  assert.equal((await locked.b('buy-one-p2p', params)).msg, 'Item sold')
})

test('a project id that has bought is refused, for any further purchase', async (t) => {
  const h = await startHarness(t)
  await h.b('buy-one-p2p', buyParams(await h.listing('market_b')))
  const other = await h.listing('market_b', 'karambit')
  assert.deepEqual(await h.b('buy-one-p2p', buyParams(other)), {
    success: false,
    msg: 'projectId already exists',
  })
})

test('a refused attempt leaves the project id free', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  await h.b('buy-one-p2p', { ...buyParams(listing), price: 1 })
  assert.equal((await h.b('buy-one-p2p', buyParams(listing))).success, true)
})

test('each buyer who cannot receive is refused with the text of the sheet', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  const buy = async (token: string): Promise<string> =>
    (await h.b('buy-one-p2p', buyParams(listing, { token }))).msg
  assert.match(await buy('privat00'), /^We couldn't validate your trade link/)
  assert.equal(await buy('banned00'), 'User has VACBAN or Game Ban')
  assert.equal(await buy('holdup00'), "You're banned for not accepting trades")
  assert.match(await buy('short'), /^[Ii]nvalid (buyer )?tradelink$/)
})

test('an empty account buys nothing', async (t) => {
  const h = await startHarness(t)
  await h.control('PUT', '/markets/market_b', { balance: '0' })
  const listing = await h.listing('market_b')
  const texts = new Set<string>()
  for (let count = 0; count < 2; count += 1) {
    texts.add((await h.b('buy-one-p2p', buyParams(listing))).msg)
  }
  assert.deepEqual([...texts].sort(), ['noFunds', 'not enough balance'])
})

test('a call without its parameters is refused and places nothing', async (t) => {
  const h = await startHarness(t)
  const good = buyParams(await h.listing('market_b'))
  const wrong = [
    { ...good, price: '' },
    { ...good, price: '1.5' },
    { ...good, item_id: '' },
    { ...good, project_id: 'x'.repeat(51) },
  ]
  for (const params of wrong) assert.equal((await h.b('buy-one-p2p', params)).success, false)
  const state = await h.control('GET', '/state')
  assert.deepEqual(state.markets.market_b.orders, {})
})
