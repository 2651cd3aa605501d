import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { type Cents, cents, type Mills } from '#kernel/money'
import { byPopularity, type CatalogItem, type Delivery } from '../item.ts'
import {
  EXTERIORS,
  generateItems,
  generateStock,
  RARITIES,
  seededRandom,
  WEAPONS,
} from '../testing/items.ts'
import { nicknamesOf, otherTextOf } from './nicknames.ts'
import { SEARCH_SORTS, type Search, type SearchSort, search, suggest } from './search.ts'
import { buildSearchIndex, type Entry, type SearchIndex, type Stock } from './search-index.ts'
import { beginsWithOneError, searchWordsOf, wordsOf } from './words.ts'

/** Three per cent, rounded up in its own way: any price that never falls will do. */
const priceOf = (asked: Mills): Cents => cents((asked * 103n + 999n) / 1000n)

const everything: Search = {
  text: null,
  sort: 'relevance',
  facets: {},
  delivery: null,
  inStock: false,
  minPrice: null,
  maxPrice: null,
  priceOf,
  offset: 0,
  limit: 100,
}

const TEXTS = [
  ...[
    'ak',
    'ak-47',
    'AK47 redline',
    'redline ak',
    'asimov',
    'assiimov',
    'karambit dopler',
    '★ ruby',
  ],
  ...['stattrak™ fever', 'neonoir', 'dragn lore', 'senorita', 'e', 'ol rusty', 'zzz', 'vulcam awp'],
  ...['Desert Eagle | Blaze (Factory New)', 'field', 'souvenir 250', '47 4', 'prnitstream', '|'],
  ...['ak47 redline ft', 'deagle', 'st', 's', 'knife p2', 'deag fn', 'f', 'redlime mw', 'bs ww'],
]

const searches: fc.Arbitrary<Search> = fc
  .record({
    text: fc.option(fc.constantFrom(...TEXTS)),
    sort: fc.constantFrom<SearchSort>(...SEARCH_SORTS),
    weapon: fc.option(fc.subarray(WEAPONS, { minLength: 1 })),
    exterior: fc.option(fc.subarray(EXTERIORS, { minLength: 1, maxLength: 2 }), { freq: 2 }),
    rarity: fc.option(fc.constantFrom(...RARITIES), { freq: 2 }),
    phase: fc.option(fc.constantFrom('Ruby', 'Phase 1', 'Emerald'), { freq: 2 }),
    delivery: fc.option(fc.constantFrom<Delivery>('standard', 'instant')),
    inStock: fc.boolean(),
    markets: fc.constantFrom<Search['markets']>(
      undefined,
      ['market_a'],
      ['market_a', 'market_b'],
      [],
    ),
    minPrice: fc.option(fc.integer({ min: 0, max: 70 })),
    maxPrice: fc.option(fc.integer({ min: 0, max: 70 })),
    offset: fc.integer({ min: 0, max: 60 }),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ weapon, exterior, rarity, phase, minPrice, maxPrice, markets, ...rest }) => ({
    ...everything,
    ...rest,
    ...(markets && { markets }),
    facets: {
      ...(weapon && { weapon }),
      ...(exterior && { exterior }),
      ...(rarity && { rarity: [rarity] }),
      ...(phase && { phase: [phase] }),
    },
    minPrice: minPrice === null ? null : cents(BigInt(minPrice)),
    maxPrice: maxPrice === null ? null : cents(BigInt(maxPrice)),
  }))

for (const { size, runs } of [
  { size: 40, runs: 400 },
  { size: 900, runs: 300 },
  { size: 24_000, runs: 25 },
]) {
  describe(`over ${size} items`, () => {
    const random = seededRandom(size)
    const items = generateItems(size, random)
    const stocks = new Map<string, Stock>(items.map(({ id }) => [id, generateStock(random)]))
    let index: SearchIndex
    before(async () => {
      index = await buildSearchIndex(items, ({ id }) => stocks.get(id)!)
    })

    test('every search answers what a plain look at every item answers', () => {
      fc.assert(
        fc.property(searches, (wanted) => sameAsOracle(index, items, stocks, wanted)),
        {
          numRuns: runs,
        },
      )
    })

    test('and still does while stock and popularity move', () => {
      for (let round = 0; round < Math.min(60, runs); round++) {
        const moving = items.filter(() => random(8) === 0)
        for (const { id } of moving) stocks.set(id, generateStock(random))
        index.setStock(moving.map(({ id }) => [index.ordinalOf.get(id)!, stocks.get(id)!]))
        for (const [i, item] of items.entries()) {
          if (random(20) === 0) items[i] = { ...item, ownSales: random(20), volume: random(50) }
        }
        index.setFigures(items)
        const [wanted] = fc.sample(searches, { numRuns: 1, seed: round })
        sameAsOracle(index, items, stocks, wanted!)
        sameAsOracle(index, items, stocks, { ...everything, sort: 'priceAsc' })
        sameAsOracle(index, items, stocks, {
          ...everything,
          sort: 'priceDesc',
          delivery: 'instant',
        })
      }
    })

    test('pages in a row are the whole list, and a page behind it is empty', () => {
      for (const sort of SEARCH_SORTS) {
        const wanted = { ...everything, sort, text: 'a' }
        const { total } = search(index, wanted)
        const ids: string[] = []
        for (let offset = 0; offset < total; offset += 7) {
          const page = search(index, { ...wanted, offset, limit: 7 })
          ids.push(...page.entries.map(({ item }) => item.id))
        }
        assert.equal(new Set(ids).size, total)
        assert.deepEqual(search(index, { ...wanted, offset: total }), { entries: [], total })
      }
    })
  })
}

describe('words', () => {
  let index: SearchIndex
  before(async () => {
    index = await buildSearchIndex(generateItems(3000, seededRandom(3)), () =>
      generateStock(seededRandom(1)),
    )
  })
  const names = (text: string): string[] =>
    search(index, { ...everything, text }).entries.map(({ item }) => item.marketHashName)

  test('a whole name comes first', () => {
    const plain = index.entries.filter(({ item }) => item.phase === null).slice(0, 100)
    for (const { item } of plain) {
      assert.equal(names(item.marketHashName)[0], item.marketHashName)
      const reversed = wordsOf(item.marketHashName).reverse().join(' ')
      assert.ok(names(reversed).includes(item.marketHashName))
    }
  })

  test('whole words come before beginnings of words', () => {
    const found = names('fe').concat(names('fade'))
    assert.ok(
      found.some((name) => name.includes('Fever')) && found.some((name) => name.includes('Fade')),
    )
    const kami = names('neo')
    assert.ok(kami.length > 0 && kami.every((name) => /neo/i.test(name)))
  })

  test('an error in a word of five letters is forgiven, in one of four it is not', () => {
    assert.ok(names('medsua').every((name) => name.includes('Medusa')))
    assert.ok(names('medsua').length > 0)
    assert.deepEqual(names('fabe'), [])
  })

  test('suggestions find what search finds, for sale or not', () => {
    for (const text of TEXTS) {
      const { entries, total } = search(index, { ...everything, text, limit: 3000 })
      const suggested = suggest(index, text, 10)
      assert.equal(suggested.length, Math.min(10, total))
      assert.ok(suggested.every((entry) => entries.includes(entry)))
    }
  })
})

function sameAsOracle(
  index: SearchIndex,
  items: readonly CatalogItem[],
  stocks: ReadonlyMap<string, Stock>,
  wanted: Search,
): void {
  const found = search(index, wanted)
  const expected = oracle(items, stocks, wanted)
  assert.equal(found.total, expected.length)
  const page = expected.slice(wanted.offset, wanted.offset + wanted.limit)
  assert.deepEqual(found.entries.map(idOf), page)
}

const idOf = ({ item }: Entry): string => item.id

/** As the words say that a query is understood: the word, and what else of the item begins or is so. */
const nicknames = new Map<string, readonly string[]>()
function nicknamesFor(item: CatalogItem): readonly string[] {
  const known = nicknames.get(item.id) ?? nicknamesOf(item)
  nicknames.set(item.id, known)
  return known
}

const texts = new Map<string, ReadonlySet<string>>()
function textOf(item: CatalogItem): ReadonlySet<string> {
  const known = texts.get(item.id) ?? searchWordsOf(`${item.marketHashName} ${otherTextOf(item)}`)
  texts.set(item.id, known)
  return known
}

/** Ids of all that fit, sorted: the slow way, from the words of the contract. */
function oracle(
  items: readonly CatalogItem[],
  stocks: ReadonlyMap<string, Stock>,
  wanted: Search,
): string[] {
  const asked = wanted.text === null ? null : wordsOf(wanted.text)
  if (asked?.length === 0) return []
  const isNamed = (item: CatalogItem, word: string): boolean =>
    [...textOf(item)].some((own) => own.startsWith(word))
  const isCalled = (item: CatalogItem, word: string): boolean =>
    nicknamesFor(item).some((own) => own === word || (word.length >= 3 && own.startsWith(word)))
  const exact = (item: CatalogItem): boolean =>
    asked === null || asked.every((word) => isNamed(item, word))
  const understood = (item: CatalogItem): boolean =>
    asked === null || asked.every((word) => isNamed(item, word) || isCalled(item, word))
  const near = (item: CatalogItem): boolean =>
    asked === null ||
    asked.every(
      (word) =>
        isCalled(item, word) ||
        [...textOf(item)].some(
          (own) => own.startsWith(word) || (word.length >= 5 && beginsWithOneError(own, word)),
        ),
    )
  const anyUnderstood = items.some(understood)
  const price = (item: CatalogItem): Mills | null => {
    const stock = stocks.get(item.id)!
    return wanted.delivery === 'instant' ? stock.instant : stock.lowest
  }
  const fits = (item: CatalogItem): boolean => {
    const stock = stocks.get(item.id)!
    const asks = price(item)
    const bounded = wanted.minPrice !== null || wanted.maxPrice !== null
    return (
      (anyUnderstood ? understood(item) : near(item)) &&
      Object.entries(wanted.facets).every(([facet, values]) =>
        values.includes(item[facet as 'weapon'] ?? ''),
      ) &&
      (!wanted.markets || wanted.markets.some((one) => stock.markets.includes(one))) &&
      (!wanted.inStock || stock.standardCount + stock.instantCount > 0) &&
      (wanted.delivery !== 'instant' || stock.instantCount > 0) &&
      (wanted.delivery !== 'standard' || stock.standardCount > 0) &&
      (!bounded || asks !== null) &&
      (wanted.minPrice === null || (asks !== null && priceOf(asks) >= wanted.minPrice)) &&
      (wanted.maxPrice === null || (asks !== null && priceOf(asks) <= wanted.maxPrice))
    )
  }
  const group = (item: CatalogItem): number => {
    if (asked === null || !anyUnderstood) return 0
    const words = textOf(item)
    if (wordsOf(item.marketHashName).join(' ') === asked.join(' ')) return 0
    if (asked.every((word) => words.has(word))) return 1
    if (!exact(item)) return 5
    if (asked.every((word) => words.has(word) || nicknamesFor(item).includes(word))) return 2
    return asked.slice(0, -1).every((word) => words.has(word)) ? 3 : 4
  }
  const away = ({ id }: CatalogItem): number => (stocks.get(id)!.lowest === null ? 1 : 0)
  const nameOf = ({ name }: CatalogItem): Buffer => Buffer.from(name.toLowerCase())
  const wholeNameOf = (item: CatalogItem): Buffer =>
    Buffer.from(`${item.marketHashName.toLowerCase()}\0${item.phase ?? ''}`)
  const byId = (left: CatalogItem, right: CatalogItem): number => (left.id < right.id ? -1 : 1)
  const byName = (left: CatalogItem, right: CatalogItem): number =>
    Buffer.compare(nameOf(left), nameOf(right)) ||
    Buffer.compare(wholeNameOf(left), wholeNameOf(right)) ||
    byId(left, right)
  const byPrice =
    (direction: 1 | -1) =>
    (left: CatalogItem, right: CatalogItem): number => {
      const [a, b] = [price(left), price(right)]
      if (a === null || b === null) return a === b ? byId(left, right) : a === null ? 1 : -1
      return direction * (Number(a - b) || byId(left, right))
    }
  const compare = {
    relevance: (left: CatalogItem, right: CatalogItem) =>
      group(left) - group(right) || away(left) - away(right) || byPopularity(left, right),
    popularity: byPopularity,
    nameAsc: byName,
    nameDesc: (left: CatalogItem, right: CatalogItem) => byName(right, left),
    priceAsc: byPrice(1),
    priceDesc: byPrice(-1),
  }[wanted.sort]
  return items
    .filter(fits)
    .sort(compare)
    .map(({ id }) => id)
}
