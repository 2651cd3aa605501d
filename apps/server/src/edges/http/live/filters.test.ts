// Against asking every filter, while filters come and go and the catalogue is built anew.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  fitsTerms,
  type ItemFilter,
  isSelected,
  type ListingAttributes,
  type ListingTerms,
} from '#catalog'
import {
  generateItems,
  NO_STOCK,
  seededRandom,
} from '../../../modules/trading/catalog/testing/items.ts'
import { selectItems } from '../../../modules/trading/catalog/view/search.ts'
import { buildSearchIndex } from '../../../modules/trading/catalog/view/search-index.ts'
import { createFilters, type Filter } from './filters.ts'

const random = seededRandom(3)
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
const maybe = <T>(value: () => T): T | null => (random(2) === 0 ? value() : null)

test('a change concerns exactly those whose filter it fits, and those whose filter it fitted', async () => {
  const items = generateItems(1500, random)
  let index = await buildSearchIndex(items.slice(0, 1200), () => NO_STOCK)
  const select = (wanted: ItemFilter) => ({ index, set: selectItems(index, wanted) })
  const filters = createFilters<number>({
    select,
    isCurrent: (selection) => selection.index === index,
  })
  const known = new Map<number, Filter>()
  const someFilter = (): Filter => ({
    items: {
      text: maybe(() => pick(['karambit', 'ak-47', 'no such thing'])),
      facets: random(3) === 0 ? { exterior: [pick(['Field-Tested', 'Factory New'])] } : {},
      itemIds: null,
    },
    terms: {
      minMills: maybe(() => random(80)),
      maxMills: maybe(() => random(100)),
      ...{ minWear: null, maxWear: maybe(() => random(100) / 100), stickers: [] },
      paintSeeds: maybe(() => [random(3), random(3)]),
      markets: maybe(() => ['market_a']),
      delivery: maybe(() => pick(['standard', 'instant'] as const)),
    } satisfies ListingTerms,
  })
  const someAttributes = (itemId: string): ListingAttributes => ({
    ...{ id: 1, itemId, market: pick(['market_a', 'market_b']), mills: random(100), stickers: [] },
    ...{ delivery: pick(['standard', 'instant'] as const), wear: maybe(() => random(100) / 100) },
    paintSeed: maybe(() => random(3)),
  })
  let concerned = 0
  for (let round = 0; round < 600; round++) {
    const owner = random(150)
    if (known.has(owner)) {
      filters.remove(owner)
      known.delete(owner)
    } else {
      const filter = someFilter()
      filters.add(owner, filter)
      known.set(owner, filter)
    }
    if (round % 200 === 199) {
      index = await buildSearchIndex(items.slice(round % 300), () => NO_STOCK)
      await filters.keepUp()
    }
    const itemId = pick(items).id
    const earlierId = random(10) === 0 ? pick(items).id : itemId
    const [now, before] = [
      maybe(() => someAttributes(itemId)),
      maybe(() => someAttributes(earlierId)),
    ]
    const fits = (
      attributes: ListingAttributes | null,
      { items: wanted, terms }: Filter,
    ): boolean =>
      attributes !== null &&
      isSelected(select(wanted), attributes.itemId) &&
      fitsTerms(attributes, terms)
    const { fitting, left } = filters.concerned({ now, before })
    const expected = [...known].filter(([, filter]) => fits(now, filter)).map(([one]) => one)
    const gone = [...known]
      .filter(([, filter]) => !fits(now, filter) && fits(before, filter))
      .map(([one]) => one)
    assert.deepEqual(fitting.toSorted(byNumber), expected.toSorted(byNumber))
    assert.deepEqual(left.toSorted(byNumber), gone.toSorted(byNumber))
    for (const [one, filter] of known) {
      assert.equal(filters.mayFit(one, itemId), isSelected(select(filter.items), itemId))
      if (now !== null) assert.equal(filters.fits(one, now), fits(now, filter))
    }
    concerned += fitting.length + left.length
  }
  assert.ok(concerned > 1000)
  for (const owner of known.keys()) filters.remove(owner)
  const itemId = (items[0] as (typeof items)[number]).id
  assert.deepEqual(filters.concerned({ now: someAttributes(itemId), before: null }).fitting, [])
})

test('while filters are brought up to a new catalogue others are served, and changes of its new items wait', async () => {
  const items = generateItems(20, random)
  const newest = items.at(-1) as (typeof items)[number]
  const known = items[0] as (typeof items)[number]
  let index = await buildSearchIndex(items.slice(0, -1), () => NO_STOCK)
  let isSlow = false
  const filters = createFilters<string>({
    select: () => {
      const untilMs = performance.now() + (isSlow ? 6 : 0)
      while (performance.now() < untilMs);
      return { index, set: null }
    },
    isCurrent: (selection) => selection.index === index,
  })
  const terms: ListingTerms = {
    ...{ minMills: null, maxMills: null, minWear: null, maxWear: null, paintSeeds: null },
    ...{ stickers: [], markets: null, delivery: null },
  }
  const texts = ['a', 'b', 'c', 'd']
  for (const text of texts) {
    filters.add(text, { items: { text, facets: {}, itemIds: null }, terms })
  }
  const fitting = (itemId: string): readonly string[] => {
    const now: ListingAttributes = {
      ...{ id: 1, itemId, market: 'market_a', mills: 1, delivery: 'instant' },
      ...{ wear: null, paintSeed: null, stickers: [] },
    }
    return filters.concerned({ now, before: null }).fitting.toSorted()
  }
  index = await buildSearchIndex(items, () => NO_STOCK)
  isSlow = true
  const keepingUp = filters.keepUp()
  assert.equal(filters.isEarlyFor(newest.id), true, 'the turn was given away')
  assert.equal(filters.isEarlyFor(known.id), false)
  assert.deepEqual(fitting(known.id), texts)
  filters.remove('d')
  await keepingUp
  assert.equal(filters.isEarlyFor(newest.id), false)
  assert.deepEqual(fitting(newest.id), ['a', 'b', 'c'])
})

const byNumber = (left: number, right: number): number => left - right
