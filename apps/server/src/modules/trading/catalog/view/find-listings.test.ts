// Against a plain filter and sort over the same listings, while they change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateItems, NO_STOCK, seededRandom } from '../testing/items.ts'
import { emptySet } from './bitset.ts'
import {
  createItemMaps,
  findListings,
  fitsTerms,
  type ItemSearch,
  type ListingSearch,
  type ListingTerms,
  pageOfItem,
} from './find-listings.ts'
import { comparePlaces, LISTING_ORDERS, placeOf } from './listing-order.ts'
import { createListingTable, type ListingAttributes } from './listing-table.ts'
import { selectItems } from './search.ts'
import { buildSearchIndex, type SearchIndex } from './search-index.ts'
import type { Place } from './slot-order.ts'

const MARKETS = ['market_a', 'market_b'] as const
const STICKERS = ['Sticker | Howl', 'Crown (Foil)', 'A, B', 'Sticker | Howl, (Foil)']

const random = seededRandom(21)
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
const maybe = <T>(value: () => T, of = 3): T | null => (random(of) === 0 ? value() : null)

function someAttributes(id: number, itemIds: readonly string[]): ListingAttributes {
  return {
    id,
    itemId: pick(itemIds),
    market: pick(MARKETS),
    mills: 1 + random(300),
    delivery: pick(['standard', 'instant'] as const),
    wear: random(4) === 0 ? null : random(101) / 100,
    paintSeed: random(5) === 0 ? null : random(12),
    stickers: Array.from({ length: random(4) }, () => pick(STICKERS)),
  }
}

function someTerms(): ListingTerms {
  const wears = [random(101) / 100, random(101) / 100].sort((left, right) => left - right)
  return {
    minMills: maybe(() => random(200)),
    maxMills: maybe(() => 100 + random(250)),
    minWear: maybe(() => wears[0] as number),
    maxWear: maybe(() => wears[1] as number),
    paintSeeds: maybe(() => Array.from({ length: 1 + random(4) }, () => random(12))),
    stickers: maybe(() => [pick(STICKERS), pick(STICKERS)].slice(random(2)), 4) ?? [],
    markets: maybe(() => [pick(MARKETS)]),
    delivery: maybe(() => pick(['standard', 'instant'] as const)),
  }
}

function someItems(index: SearchIndex): ListingSearch['items'] {
  const act = random(4)
  if (act === 0) return { index, set: null }
  if (act === 1) return { index, set: emptySet(index.size) }
  const facets = { exterior: ['Field-Tested', 'Factory New'].slice(random(2)) }
  return {
    index,
    set: selectItems(index, { text: maybe(() => 'karambit'), facets: act === 2 ? facets : {} }),
  }
}

/** What there is, filtered and sorted in the plainest way. */
function plainly(known: ReadonlyMap<number, ListingAttributes>, wanted: ListingSearch): Place[] {
  const { items, terms, upMarkets, order, after, limit } = wanted
  return [...known.values()]
    .filter((attributes) => {
      const ordinal = items.index.ordinalOf.get(attributes.itemId)
      const isItem =
        ordinal !== undefined &&
        (items.set === null || ((items.set[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) !== 0
      return isItem && upMarkets.includes(attributes.market) && fitsTerms(attributes, terms)
    })
    .map((attributes) => placeOf(order, attributes))
    .sort((left, right) => comparePlaces(order, left, right))
    .filter((place) => after === null || comparePlaces(order, place, after) > 0)
    .slice(0, limit)
}

test('any filter, sort and page over listings that change finds what a plain filter and sort find', async () => {
  const items = generateItems(120, random)
  // Some are offered of which the catalogue does not know.
  const index = await buildSearchIndex(items.slice(20), () => NO_STOCK)
  const itemIds = items.map(({ id }) => id)
  const table = createListingTable()
  const maps = createItemMaps()
  const known = new Map<number, ListingAttributes>()
  const begun = Array.from({ length: 3000 }, (_, i) => someAttributes(i + 1, itemIds))
  await table.fill(
    (async function* () {
      yield begun.slice(0, 1000)
      yield begun.slice(1000)
    })(),
  )
  for (const attributes of begun) known.set(attributes.id, attributes)
  let found = 0
  for (let round = 0; round < 1500; round++) {
    for (let i = random(12); i > 0; i--) {
      const id = 1 + random(4000)
      const before = known.get(id)
      const act = random(4)
      if (act === 0) {
        table.remove(id)
        known.delete(id)
        continue
      }
      const attributes =
        before !== undefined && act < 3
          ? { ...before, mills: 1 + random(300) }
          : someAttributes(id, itemIds)
      table.put(attributes)
      known.set(id, attributes)
    }
    const order = pick(LISTING_ORDERS)
    const wanted: ListingSearch = {
      items: someItems(index),
      terms: someTerms(),
      upMarkets: MARKETS.filter(() => random(6) > 0),
      order,
      after: maybe(() => {
        const attributes = pick([...known.values()])
        const { key, id } = placeOf(order, attributes)
        return { key, id: id + random(2) }
      }),
      limit: 1 + random(40),
    }
    const places = await findListings(table, maps(table, index), wanted)
    assert.deepEqual(places, plainly(known, wanted), JSON.stringify({ ...wanted, items: '' }))
    found += places.length
  }
  assert.ok(found > 5000)
  assert.equal(table.count, known.size)
  for (const [id, attributes] of known) {
    const { stickers, ...kept } = table.find(id) as ListingAttributes
    assert.deepEqual(
      { ...kept, stickers: stickers.toSorted() },
      {
        ...attributes,
        stickers: attributes.stickers.toSorted(),
      },
    )
  }
  for (const id of known.keys()) table.remove(id)
  assert.equal(table.count, 0)
})

test('pages behind each other are the whole, whatever the way in which they are found', async () => {
  const items = generateItems(40, random)
  const index = await buildSearchIndex(items, () => NO_STOCK)
  const itemIds = items.map(({ id }) => id)
  const table = createListingTable()
  const maps = createItemMaps()
  const known = new Map<number, ListingAttributes>()
  // Few that fit among many: neither a walk nor a list of candidates is enough.
  await table.fill(
    (async function* () {
      for (let id = 1; id <= 150_000; id += 5000) {
        const rows = Array.from({ length: 5000 }, (_, i) => someAttributes(id + i, itemIds))
        for (const attributes of rows) known.set(attributes.id, attributes)
        yield rows
      }
    })(),
  )
  const some = index.entries.slice(0, 38).map(({ ordinal }) => ordinal)
  const set = emptySet(index.size)
  for (const ordinal of some)
    set[ordinal >>> 5] = (set[ordinal >>> 5] as number) | (1 << (ordinal & 31))
  const few = { ...NO_TERMS, paintSeeds: [3], minWear: 0.3, maxWear: 0.31 }
  const many: ListingTerms = {
    ...{ ...NO_TERMS, minMills: 200, minWear: 0.3, maxWear: 0.6 },
    ...{ stickers: ['A, B'], delivery: 'instant', markets: ['market_a'] },
  }
  for (const order of LISTING_ORDERS) {
    for (const [terms, of] of [
      [few, { index, set }],
      [many, { index, set }],
      [
        { ...NO_TERMS, stickers: ['A, B', 'Crown (Foil)'], maxMills: 4 },
        { index, set: null },
      ],
    ] as const) {
      const wanted: ListingSearch = {
        ...{ items: of, terms, order, after: null, limit: 10_000 },
        upMarkets: MARKETS,
      }
      const whole = plainly(known, wanted)
      assert.ok(whole.length > 100)
      const paged: Place[] = []
      for (let after: Place | null = null; ; ) {
        const page = await findListings(table, maps(table, index), { ...wanted, after, limit: 50 })
        paged.push(...page)
        if (page.length < 50) break
        after = page.at(-1) ?? null
      }
      assert.deepEqual(paged, whole)
    }
  }
})

test('any page of an item, small or large, is cut from what a plain filter and sort find, and counts all of it', async () => {
  const itemIds = ['small', 'middling', 'large']
  // More and fewer listings than an item has orders of its own for, and some that cross the bound.
  const someItem = () => pick(['small', 'middling', ...Array(8).fill('large')])
  const table = createListingTable()
  const known = new Map<number, ListingAttributes>()
  const put = (attributes: ListingAttributes): void => {
    table.put(attributes)
    known.set(attributes.id, attributes)
  }
  const plainPage = (wanted: ItemSearch): { places: Place[]; total: number } => {
    const { itemId, terms, hasStickers, upMarkets, order, offset, limit } = wanted
    const fitting = [...known.values()]
      .filter(
        (attributes) =>
          attributes.itemId === itemId &&
          upMarkets.includes(attributes.market) &&
          (hasStickers === null || attributes.stickers.length > 0 === hasStickers) &&
          fitsTerms(attributes, terms),
      )
      .map((attributes) => placeOf(order, attributes))
      .sort((left, right) => comparePlaces(order, left, right))
    return { places: fitting.slice(offset, offset + limit), total: fitting.length }
  }
  for (let id = 1; id <= 4400; id++) put(someAttributes(id, [someItem()]))
  const counted = { small: 0, large: 0 }
  for (let round = 0; round < 400; round++) {
    // Half of the time the market grows, then it shrinks.
    for (let i = random(90); i > 0; i--) {
      const id = 1 + random(6000)
      const before = known.get(id)
      if (before !== undefined && random(2) === 0) put({ ...before, mills: 1 + random(300) })
      else if (random(400) > round) put(someAttributes(id, [someItem()]))
      else if (table.find(id) !== null) {
        table.remove(id)
        known.delete(id)
      }
    }
    const wanted: ItemSearch = {
      itemId: pick([...itemIds, 'large', 'unknown']),
      terms: random(3) === 0 ? NO_TERMS : someTerms(),
      hasStickers: maybe(() => random(2) === 0),
      upMarkets: MARKETS.filter(() => random(6) > 0),
      order: pick(['priceAsc', 'priceDesc', 'wearAsc', 'wearDesc'] as const),
      offset: random(3) === 0 ? 0 : random(800),
      limit: 1 + random(60),
    }
    const page = pageOfItem(table, wanted)
    assert.deepEqual(page, plainPage(wanted), JSON.stringify(wanted))
    counted[table.ordersOfItem(table.items.find(wanted.itemId)) === null ? 'small' : 'large'] +=
      page.places.length
  }
  assert.ok(Math.min(...Object.values(counted)) > 1000, JSON.stringify(counted))
})

const NO_TERMS: ListingTerms = {
  ...{ minMills: null, maxMills: null, minWear: null, maxWear: null, paintSeeds: null },
  ...{ stickers: [], markets: null, delivery: null },
}
