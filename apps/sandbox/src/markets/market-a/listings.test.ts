import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Json, startHarness } from '../../testing/harness.ts'

const REDLINE = 'AK-47 | Redline (Field-Tested)'

test('the price list has the lowest price of each name, keyless', async (t) => {
  const h = await startHarness(t)
  const cheapest = await h.listing('market_a')
  const list = await h.json('/market-a/api/v2/prices/USD.json')
  assert.equal(list.success, true)
  assert.equal(list.currency, 'USD')
  const row = list.items.find((item: Json) => item.market_hash_name === REDLINE)
  assert.deepEqual(row, { market_hash_name: REDLINE, volume: '120', price: cheapest.price })
})

test('the full export names at least nine files whose rows follow the format', async (t) => {
  const h = await startHarness(t)
  const list = await h.json('/market-a/api/full-export/USD.json')
  assert.ok(list.items.length >= 9)
  const rows: unknown[][] = []
  for (const file of list.items) {
    assert.match(file, /^\d{14}\.json$/)
    rows.push(...((await h.json(`/market-a/api/full-export/${file}`)) as unknown as unknown[][]))
  }
  const { total, items } = await h.control('GET', '/markets/market_a/listings?q=ruby')
  const state = await h.control('GET', '/state')
  assert.equal(rows.length, state.markets.market_a.listings)

  const columns = list.format as string[]
  const named = rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell])))
  const rubies = named.filter((row) => row.phase === 'Ruby')
  assert.equal(rubies.length, total)
  const ruby = rubies.find((row) => String(row.id) === items[0].id) as Json
  assert.equal(ruby.market_hash_name, '★ Karambit | Doppler (Factory New)')
  assert.equal(ruby.price, items[0].priceMills)
  assert.equal(Math.fround(Number(ruby.float)), items[0].wear)
  assert.equal(ruby.paintseed, String(items[0].paintSeed))
  assert.equal(ruby.paintindex, '415')
  assert.equal(ruby.stickers, '11||22')
  assert.equal(ruby.stamp, '2026-09-30 12:00:00')
})

test('the files of an older export are removed', async (t) => {
  const h = await startHarness(t)
  const before = await h.json('/market-a/api/full-export/USD.json')
  h.advance(30_000)
  const after = await h.json('/market-a/api/full-export/USD.json')
  assert.notDeepEqual(before.items, after.items)
  const old = await h.get(`/market-a/api/full-export/${before.items[0]}`)
  assert.equal(old.status, 404)
  assert.equal((await h.get(`/market-a/api/full-export/${after.items[0]}`)).status, 200)
})

test('with old files kept, an export stays readable until the next but one is there', async (t) => {
  const h = await startHarness(t, { marketA: { oldExportFiles: 'kept' } })
  const index = () => h.json('/market-a/api/full-export/USD.json')
  const statusOf = async (list: Json) =>
    (await h.get(`/market-a/api/full-export/${list.items[0]}`)).status
  const newest = async (than: Json): Promise<Json> => {
    const list = await index()
    return list.items[0] === than.items[0] ? newest(than) : list
  }
  const first = await index()
  h.advance(30_000)
  assert.deepEqual((await index()).items, first.items, 'the next is built behind this answer')
  const second = await newest(first)
  assert.equal(await statusOf(first), 200)
  h.advance(30_000)
  const third = await newest(second)
  assert.deepEqual(await Promise.all([first, second, third].map(statusOf)), [404, 200, 200])
})

test('the dictionary numbers each name once', async (t) => {
  const h = await startHarness(t)
  const { items } = await h.json('/market-a/api/v2/dictionary/names.json')
  assert.deepEqual(
    items.map((item: Json) => item.id),
    [1, 2, 3, 4],
  )
  assert.equal(items[0].hash_name, REDLINE)
})

test('the grouped search counts, and shows a name that has just sold out with a count of 0', async (t) => {
  const h = await startHarness(t)
  const { id } = await h.listing('market_a')
  const listing = await h.control('PUT', `/markets/market_a/listings/${id}`, { price: '1.11' })
  await h.a('buy-for', buyParams(listing))
  const { data } = await h.a('search-item-by-hash-name', { hash_name: REDLINE })
  const gone = data.find((row: Json) => row.price === listing.priceMills)
  assert.equal(gone.count, 0)
  const { total } = await h.control('GET', '/markets/market_a/listings?q=ak-47')
  const count = data.reduce((sum: number, row: Json) => sum + row.count, 0)
  const statTraks = await h.control('GET', '/markets/market_a/listings?q=stattrak')
  assert.equal(count, total - statTraks.total)
})

test('the specific search shows each listing with float and, when asked, stickers', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const { data } = await h.a('search-item-by-hash-name-specific', {
    hash_name: REDLINE,
    with_stickers: 1,
  })
  const row = data.find((one: Json) => String(one.id) === listing.id)
  assert.equal(row.price, listing.priceMills)
  assert.equal(Math.fround(Number(row.extra.float)), listing.wear)
  assert.equal(row.extra.stickers, '11||22')
})

test('the list search takes 50 names, or 5 with details', async (t) => {
  const h = await startHarness(t)
  const names = (count: number) => Array.from({ length: count }, () => REDLINE)
  const list = (count: number, extended: number) =>
    h.a('search-list-items-by-hash-name-all', { 'list_hash_name[]': names(count), extended })
  const plain = await list(50, 0)
  assert.equal(typeof plain.data[REDLINE][0].chance_to_transfer, 'number')
  assert.equal((await list(51, 0)).success, false)
  const extended = await list(5, 1)
  assert.equal(typeof extended.data[REDLINE][0].percent_success, 'number')
  assert.equal((await list(6, 1)).success, false)
})
