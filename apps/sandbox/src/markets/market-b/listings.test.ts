import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Harness, type Json, KEY_B, startHarness } from '../../testing/harness.ts'

const REDLINE = 'AK-47 | Redline (Field-Tested)'
const RUBY = '★ Karambit | Doppler Ruby (Factory New)'

async function snapshot(h: Harness, flags = ''): Promise<string[]> {
  const path = `/market-b/v1/prices/snapshot?api=${KEY_B}&format=csv&game=csgo${flags}`
  for (;;) {
    const response = await h.get(path)
    if (response.status === 200) return (await response.text()).trimEnd().split('\n')
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '1')
    await response.text()
  }
}

test('the first reader of the snapshot finds it not ready', async (t) => {
  const h = await startHarness(t)
  assert.equal((await h.get('/market-b/v1/prices/snapshot?format=csv')).status, 503)
})

test('the snapshot has the columns of the sheet and, when asked, every open listing', async (t) => {
  const h = await startHarness(t)
  const [head, ...rows] = await snapshot(h, '&include_manual=1')
  assert.equal(
    head,
    'item_id,name,price,auto,inspect,unlock_at,send_until,class_id,instance_id,steam_id,merchant,delivery',
  )
  const state = await h.control('GET', '/state')
  assert.equal(rows.length, state.markets.market_b.listings)
  const listing = await h.listing('market_b')
  const row = rows.find((one) => one.startsWith(`${listing.id},`)) ?? ''
  const cells = row.split(',')
  assert.equal(cells[1], REDLINE)
  assert.equal(cells[2], String(listing.priceMills).padStart(12, '0'))
  assert.match(cells[4] ?? '', /^steam:\/\/run\/730\/\/\+csgo_econ_action_preview%20[0-9A-F]+$/)
  assert.equal(cells[9], listing.sellerId)

  const automatic = await snapshot(h)
  assert.ok(automatic.length - 1 < rows.length)
  assert.ok(automatic.slice(1).every((one) => one.endsWith(',bot')))
})

test('a name with commas and quotes is one field of the snapshot', async (t) => {
  const h = await startHarness(t)
  const rows = await snapshot(h, '&include_manual=1')
  assert.ok(rows.some((row) => row.includes(',"Sticker | Say ""Cheese"", Please",')))
})

test('trade locked listings are in the snapshot on request only', async (t) => {
  const h = await startHarness(t, { marketB: { lockedOneIn: 1 } })
  assert.equal((await snapshot(h, '&include_manual=1')).length, 1)
  const all = await snapshot(h, '&include_hold=1')
  const state = await h.control('GET', '/state')
  assert.equal(all.length - 1, state.markets.market_b.listings)
  assert.match(all[1]?.split(',')[5] ?? '', /^\d{10}$/)
})

test('prices are keyless and count what is open', async (t) => {
  const h = await startHarness(t)
  const { items } = await h.json('/market-b/v1/prices?game=csgo&search=ruby')
  const { items: listed, total } = await h.control('GET', '/markets/market_b/listings?q=ruby')
  assert.deepEqual(items, [
    {
      name: RUBY,
      count: total,
      min: listed[0].priceMills,
      img: 'https://community.fastly.steamstatic.com/economy/image/icon-of-the-item',
      steam_price: '4000000',
      type: 'Knife',
    },
  ])
  const short = await h.json('/market-b/v1/prices?minified=1&max_price=1000')
  assert.deepEqual(Object.keys(short.items[0]), ['name', 'count', 'min'])
})

test('the items list comes in pages of 100, sorted', async (t) => {
  const h = await startHarness(t, { config: { listingCount: 500 } })
  const first = await h.b('get-items-list', { game: 'csgo', order: 'asc', order_by: 'price' })
  const second = await h.b('get-items-list', { skip: 100, order: 'asc', order_by: 'price' })
  assert.equal(first.items.length, 100)
  const prices = [...first.items, ...second.items].map((row: Json) => row.price)
  assert.deepEqual(
    prices,
    prices.toSorted((left: number, right: number) => left - right),
  )
  const state = await h.control('GET', '/state')
  assert.equal(first.count, state.markets.market_b.listings)
})

test('the plain search shows phases as a field, the detailed one every field of a listing', async (t) => {
  const h = await startHarness(t)
  const ruby = await h.listing('market_b', 'ruby')
  const plain = await h.b('search-items-by-name', { game: 'csgo', names: [RUBY, REDLINE] })
  const short = plain.items.find((row: Json) => row.item_id === ruby.id)
  assert.equal(short.phase, 'Ruby')
  assert.ok(plain.items.some((row: Json) => row.name === REDLINE && !('phase' in row)))

  const detailed = await h.json(
    `/market-b/v2/search-items-by-name?api=${KEY_B}&game=csgo&minified=0&delivery_details=1&name=${encodeURIComponent(RUBY)}&name=nothing`,
  )
  assert.deepEqual(detailed.items.nothing, [])
  const row = detailed.items[RUBY].find((one: Json) => String(one.item_id) === ruby.id)
  assert.equal(typeof row.item_id, 'number')
  assert.equal(row.phase, 'Ruby')
  assert.equal(row.float, ruby.wear)
  assert.equal(row.paintseed, ruby.paintSeed)
  assert.equal(row.paintindex, 415)
  assert.equal(row.auto, ruby.auto)
  assert.equal(row.delivery, ruby.auto ? 'bot' : 'p2p')
  assert.equal(row.stickers.length, 2)
  assert.equal(row.steam_price_number, 4_000_000)
})

test('a search of more than 50 names is refused', async (t) => {
  const h = await startHarness(t)
  const names = Array.from({ length: 51 }, () => REDLINE)
  assert.equal((await h.b('search-items-by-name', { names })).success, false)
})

test('availability shows what is still for sale', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  const ask = () => h.b('check-availability', { item_id: [listing.id, '1'] })
  const before = await ask()
  assert.deepEqual(before.items[0], {
    item_id: listing.id,
    selling: true,
    price: listing.priceMills,
    name: REDLINE,
  })
  assert.equal(before.items[1].selling, false)
  await h.b('buy-one-p2p', buyParams(listing))
  assert.equal((await ask()).items[0].selling, false)
})
