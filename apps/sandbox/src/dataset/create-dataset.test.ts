import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDataset } from './create-dataset.ts'
import { randomOf } from './random.ts'
import { numberOf } from './stock.ts'
import type { Dataset, Listing, ListingChange, MarketId } from './types.ts'

const NOW = 1_800_000_000_000
const MARKETS = ['market_a', 'market_b'] as const

const create = (over: { seed?: number; listingCount?: number; nowMs?: number } = {}): Dataset =>
  createDataset({ seed: 5, listingCount: 2_000, nowMs: NOW, changesPerTick: 5, ...over })
const allOf = (dataset: Dataset): readonly Listing[] =>
  MARKETS.flatMap((market) => [...dataset.listings(market)])
const sorted = (dataset: Dataset): readonly Listing[] =>
  [...allOf(dataset)].sort((left, right) => Number(left.assetId) - Number(right.assetId))
const first = (dataset: Dataset, market: MarketId = 'market_a'): Listing => {
  const [listing] = [...dataset.listings(market)]
  assert.ok(listing !== undefined)
  return listing
}
const advance = (dataset: Dataset, ticks: number, from = 0): void => {
  for (let tick = from; tick < from + ticks; tick += 1) dataset.tick(NOW + tick * 1000)
}

/** The same disorderly life for every dataset: ticks, purchases, returns, prices, removals. */
function live(
  dataset: Dataset,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  for (let step = from; step < to; step += 1) {
    const random = randomOf(99, 50, step)
    dataset.tick(NOW + step * 1000)
    const listings = sorted(dataset)
    const one = random.pick(listings)
    const other = random.pick(listings)
    if (random.chance(0.5)) dataset.take(one.market, one.id)
    if (random.chance(0.3)) dataset.putBack(one)
    if (random.chance(0.4)) dataset.setPrice(other.market, other.id, random.between(30, 90_000))
    if (random.chance(0.2)) dataset.remove(other.market, other.id)
  }
}

test('the same seed and the same calls give the same dataset', () => {
  const left = create()
  const right = create()
  assert.deepEqual(sorted(left), sorted(right))
  live(left, { from: 0, to: 120 })
  live(right, { from: 0, to: 120 })
  assert.deepEqual(sorted(left), sorted(right))
  assert.equal(left.dump(), right.dump())
})

test('another seed gives another dataset of the same goods', () => {
  const left = create()
  const right = create({ seed: 6 })
  assert.deepEqual(left.catalogue, right.catalogue)
  assert.notDeepEqual(sorted(left), sorted(right))
})

test('a restored dataset equals the dumped one, and continues like it', () => {
  const before = create()
  live(before, { from: 0, to: 150 })
  // The clock has moved when the program starts again; nothing may follow from that.
  const after = create({ nowMs: NOW + 86_400_000 })
  after.restore(before.dump())
  assert.deepEqual(sorted(after), sorted(before))
  live(before, { from: 150, to: 250 })
  live(after, { from: 150, to: 250 })
  assert.deepEqual(sorted(after), sorted(before))
  assert.equal(after.dump(), before.dump())
})

test('dumping changes nothing', () => {
  const left = create()
  const right = create()
  live(left, { from: 0, to: 30 })
  live(right, { from: 0, to: 15 })
  right.dump()
  live(right, { from: 15, to: 30 })
  assert.deepEqual(sorted(left), sorted(right))
})

test('sold listings do not return after a restart', () => {
  const dataset = create()
  const taken = first(dataset)
  assert.equal(dataset.take(taken.market, taken.id), true)
  const gone = new Set([taken.assetId])
  dataset.subscribe((change) => {
    if (change.kind === 'removed') gone.add(change.listing.assetId)
  })
  advance(dataset, 300)
  const again = create()
  again.restore(dataset.dump())
  for (const { assetId } of allOf(again)) assert.equal(gone.has(assetId), false)
  assert.equal(again.listing(taken.market, taken.id), undefined)
})

test('no id is used twice, also over restarts', () => {
  let dataset = create({ listingCount: 300 })
  const known = new Set(allOf(dataset).map(({ assetId }) => assetId))
  const ids = new Set(allOf(dataset).map(({ market, id }) => `${market} ${id}`))
  for (let start = 0; start < 4; start += 1) {
    dataset.subscribe((change) => {
      if (change.kind !== 'new') return
      assert.equal(known.has(change.listing.assetId), false)
      known.add(change.listing.assetId)
      ids.add(`${change.listing.market} ${change.listing.id}`)
    })
    advance(dataset, 200, start * 200)
    const dump = dataset.dump()
    dataset = create({ listingCount: 300 })
    dataset.restore(dump)
  }
  assert.ok(known.size > 700)
  assert.equal(ids.size, known.size)
})

test('a dataset of another origin starts anew with unused ids', () => {
  const dataset = create({ listingCount: 300 })
  advance(dataset, 100)
  const used = new Set(allOf(dataset).map(({ assetId }) => assetId))
  const other = create({ listingCount: 300, seed: 77, nowMs: NOW + 5_000 })
  other.restore(dataset.dump())
  assert.equal(allOf(other).length, 300)
  for (const listing of allOf(other)) {
    assert.equal(used.has(listing.assetId), false)
    assert.ok(listing.listedAtMs <= NOW + 5_000)
  }
  // An order of the old dataset that failed: its listing has no place here, and nothing else changes.
  dataset.putBack(first(dataset))
  other.putBack(first(dataset))
  assert.equal(allOf(other).length, 300)
  const third = create({ listingCount: 300, seed: 77 })
  third.restore(other.dump())
  assert.deepEqual(sorted(third), sorted(other))
})

test('text that is no saved dataset is refused', () => {
  const good = JSON.parse(create({ listingCount: 50 }).dump()) as Record<string, unknown>
  for (const text of [
    '',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...good, version: 2 }),
    JSON.stringify({ ...good, next: -1 }),
    JSON.stringify({ ...good, added: [1] }),
    JSON.stringify({ ...good, prices: ['1', 2] }),
  ]) {
    assert.throws(() => create({ listingCount: 50 }).restore(text), text)
  }
})

test('the saved state stays small however long the dataset is in use', () => {
  const dataset = create({ listingCount: 1_000 })
  advance(dataset, 4_000)
  const early = dataset.dump().length
  advance(dataset, 8_000, 4_000)
  assert.ok(dataset.dump().length < early * 1.3, `${early} grew to ${dataset.dump().length}`)
})

test('a listing is taken once', () => {
  const dataset = create()
  const { market, id } = first(dataset)
  const other = market === 'market_a' ? 'market_b' : 'market_a'
  assert.equal(dataset.take(other, id), false)
  assert.equal(dataset.take(market, id), true)
  assert.equal(dataset.take(market, id), false)
  assert.equal(dataset.remove(market, id), false)
  assert.equal(dataset.setPrice(market, id, 100), undefined)
  assert.equal(dataset.take(market, 'no number'), false)
})

test('a taken listing can be put back, once, at the price that it had', () => {
  const dataset = create()
  const { market, id } = first(dataset)
  const moved = dataset.setPrice(market, id, 12_340)
  assert.ok(moved !== undefined)
  dataset.take(market, id)
  // The order kept the listing as text.
  dataset.putBack(JSON.parse(JSON.stringify(moved)) as Listing)
  dataset.putBack(moved)
  assert.deepEqual(dataset.listing(market, id), moved)
  assert.equal(allOf(dataset).length, 2_000)
  assert.equal(
    dataset.listingsOf(market, moved.asset.item.marketHashName).filter((one) => one.id === id)
      .length,
    1,
  )
})

test('a listing that came after the opening is put back the same after a restart', () => {
  const dataset = create()
  const arrived: Listing[] = []
  dataset.subscribe((change) => {
    if (change.kind === 'new') arrived.push(change.listing)
  })
  advance(dataset, 50)
  const late = arrived.find(({ market, id }) => dataset.listing(market, id) !== undefined)
  assert.ok(late !== undefined)
  const shown = dataset.listing(late.market, late.id)
  assert.ok(shown !== undefined)
  dataset.take(late.market, late.id)
  const again = create()
  again.restore(dataset.dump())
  assert.equal(again.listing(late.market, late.id), undefined)
  again.putBack(shown)
  assert.deepEqual(again.listing(late.market, late.id), shown)
})

test('a listing that this dataset never had is refused', () => {
  const dataset = create()
  const listing = first(dataset)
  const strange = { ...listing, id: String(Number(listing.id) + 7 * 100_000_000) }
  assert.throws(() => dataset.putBack(strange), RangeError)
  const twisted = { ...listing, id: String(Number(listing.id) + 7) }
  if (dataset.listing(twisted.market, twisted.id) === undefined) {
    assert.throws(() => dataset.putBack(twisted), RangeError)
  }
})

test('a price change is published with the previous price, and an invalid price is refused', () => {
  const dataset = create()
  const listing = first(dataset)
  const feed: ListingChange[] = []
  dataset.subscribe((change) => feed.push(change))
  const changed = dataset.setPrice(listing.market, listing.id, listing.priceMills + 990)
  assert.deepEqual(feed, [
    { kind: 'update', listing: changed, previousPriceMills: listing.priceMills },
  ])
  assert.equal(changed?.priceMills, listing.priceMills + 990)
  for (const price of [0, -5, 1.5, Number.NaN]) {
    assert.throws(() => dataset.setPrice(listing.market, listing.id, price), RangeError)
  }
  assert.equal(dataset.setPrice(listing.market, listing.id, changed?.priceMills ?? 0), changed)
  assert.equal(feed.length, 1)
})

test('the change feed is complete: a mirror that applies it has the same listings', () => {
  const dataset = create()
  const mirror = new Map(allOf(dataset).map((one) => [`${one.market} ${one.id}`, one]))
  dataset.subscribe((change) => {
    const key = `${change.listing.market} ${change.listing.id}`
    if (change.kind === 'removed') {
      assert.deepEqual(mirror.get(key), change.listing)
      mirror.delete(key)
      return
    }
    assert.equal(mirror.has(key), change.kind === 'update')
    if (change.kind === 'update') {
      assert.equal(mirror.get(key)?.priceMills, change.previousPriceMills)
      assert.notEqual(change.listing.priceMills, change.previousPriceMills)
    }
    mirror.set(key, change.listing)
  })
  live(dataset, { from: 0, to: 200 })
  const followed = [...mirror.values()].sort(
    (left, right) => Number(left.assetId) - Number(right.assetId),
  )
  assert.deepEqual(followed, sorted(dataset))
})

test('a change made by a listener is published after the current one, to every listener', () => {
  const dataset = create()
  const [one, two] = [...dataset.listings('market_a')]
  assert.ok(one !== undefined && two !== undefined)
  const received: string[][] = [[], []]
  dataset.subscribe((change) => {
    received[0]?.push(change.listing.id)
    if (change.listing.id === one.id) dataset.take(two.market, two.id)
  })
  const stop = dataset.subscribe((change) => received[1]?.push(change.listing.id))
  dataset.take(one.market, one.id)
  assert.deepEqual(received, [
    [one.id, two.id],
    [one.id, two.id],
  ])
  stop()
  stop()
  dataset.tick(NOW)
  assert.equal(received[1]?.length, 2)
  assert.ok((received[0]?.length ?? 0) > 2)
})

test('a tick changes prices by small steps, sells, and brings new listings of that moment', () => {
  const dataset = create()
  const counts = { new: 0, update: 0, removed: 0 }
  let steps = 0
  dataset.subscribe((change) => {
    counts[change.kind] += 1
    if (change.kind === 'new') assert.equal(change.listing.listedAtMs, NOW + steps * 1000)
    if (change.kind !== 'update' || change.previousPriceMills < 1000) return
    const ratio = change.listing.priceMills / change.previousPriceMills
    assert.ok(ratio > 0.9 && ratio < 1.1, `a step by ${ratio}`)
  })
  for (steps = 0; steps < 1_000; steps += 1) dataset.tick(NOW + steps * 1000)
  assert.equal(counts.new + counts.update + counts.removed, 5_000)
  for (const count of Object.values(counts)) assert.ok(count > 800)
})

test('prices stay near their start, and a price set far away returns step by step', () => {
  const dataset = create({ listingCount: 200 })
  const opening = new Map(allOf(dataset).map((one) => [one.assetId, one.priceMills]))
  const far = first(dataset)
  dataset.setPrice(far.market, far.id, far.priceMills * 10)
  advance(dataset, 3_000)
  for (const { assetId, priceMills } of allOf(dataset)) {
    const began = opening.get(assetId)
    if (began === undefined || assetId === far.assetId || began < 100) continue
    assert.ok(priceMills > began * 0.5 && priceMills < began * 2)
  }
})

test('the number of listings stays near the setting, and recovers from a burst of purchases', () => {
  const dataset = create()
  for (let round = 0; round < 20; round += 1) {
    advance(dataset, 100, round * 100)
    const count = dataset.countOf('market_a') + dataset.countOf('market_b')
    assert.equal(count, allOf(dataset).length)
    assert.ok(Math.abs(count - 2_000) <= 60, String(count))
  }
  for (const { market, id } of allOf(dataset).slice(0, 1_500)) dataset.take(market, id)
  advance(dataset, 1_000, 2_000)
  assert.ok(allOf(dataset).length > 1_900)
})

test('an empty dataset and a dataset of one listing work as well', () => {
  const empty = create({ listingCount: 0 })
  advance(empty, 10)
  assert.equal(allOf(empty).length, 0)
  const single = create({ listingCount: 1 })
  advance(single, 200)
  assert.ok(allOf(single).length <= 4)
  for (const { market, id } of allOf(single)) single.take(market, id)
  let arrivals = 0
  single.subscribe(({ kind }) => {
    if (kind === 'new') arrivals += 1
  })
  advance(single, 20, 200)
  assert.ok(arrivals > 0)
})

test('listings of a name are those of its market, every phase among them, in rising order', () => {
  const dataset = create({ listingCount: 55_000 })
  const name = '★ Karambit | Doppler (Factory New)'
  const found = MARKETS.flatMap((market) => dataset.listingsOf(market, name))
  assert.deepEqual(
    new Set(found),
    new Set(allOf(dataset).filter(({ asset }) => asset.item.marketHashName === name)),
  )
  assert.ok(new Set(found.map(({ asset }) => asset.item.phase)).size > 1)
  for (const market of MARKETS) {
    const numbers = dataset.listingsOf(market, name).map(({ id }) => numberOf(market, id))
    assert.deepEqual(
      numbers,
      [...numbers].sort((left, right) => left - right),
    )
  }
  assert.deepEqual(dataset.listingsOf('market_a', 'no such thing'), [])
})

test('an item of a listing is the object of the catalogue', () => {
  const dataset = create()
  const items = new Set(dataset.catalogue)
  for (const { asset } of allOf(dataset)) assert.ok(items.has(asset.item))
})

test('a persona owns the same each time, over restarts, and more begins with less', () => {
  const id = '76561198000000123'
  const many = create().inventoryOf(id, 40)
  assert.equal(many.length, 40)
  assert.deepEqual(create({ listingCount: 2_000 }).inventoryOf(id, 40), many)
  assert.deepEqual(create().inventoryOf(id, 10), many.slice(0, 10))
  assert.notDeepEqual(create({ seed: 6 }).inventoryOf(id, 40), many)
})

test('no two personas and no listing share an asset, and not everything can be traded', () => {
  const dataset = create()
  const ids = allOf(dataset).map(({ assetId }) => assetId)
  let locked = 0
  for (const account of [1n, 2n, 123_456_789n, 4_294_967_295n]) {
    for (const owned of dataset.inventoryOf(String(76_561_197_960_265_728n + account), 40)) {
      ids.push(owned.assetId)
      if (!owned.tradable) locked += 1
    }
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(locked > 0 && locked < 80)
})

test('an id that is not an account owns nothing', () => {
  for (const id of ['', 'absent', '1', '99999999999999999', '-7656119800000012']) {
    assert.deepEqual(create({ listingCount: 1 }).inventoryOf(id, 40), [])
  }
})

test('many listings are spread as on the real markets: half of them are of three names in a hundred', () => {
  const listingCount = 150_000
  const dataset = create({ listingCount })
  const counts = new Map<unknown, number>()
  for (const { asset } of allOf(dataset)) {
    counts.set(asset.item, (counts.get(asset.item) ?? 0) + 1)
  }
  const sorted = [...counts.values()].sort((left, right) => right - left)
  const few = sorted.slice(0, Math.round(dataset.catalogue.length * 0.03))
  const share = few.reduce((sum, count) => sum + count, 0) / listingCount
  assert.ok(share > 0.48 && share < 0.53, String(share))
  assert.ok(
    Math.abs((sorted[0] ?? 0) - listingCount * 0.02) < 20,
    `the most abundant: ${sorted[0]}`,
  )
})
