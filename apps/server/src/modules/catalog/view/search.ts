// Filters, sorts and pages over a shelf. No search sorts: it intersects sets and walks an order.
import type { Cents, Mills } from '#kernel/money'
import type { Delivery } from '../item.ts'
import {
  type Bitset,
  count,
  emptySet,
  forEach,
  fullSet,
  has,
  intersect,
  remove,
  subtract,
  unite,
} from './bitset.ts'
import type { Entry, Facet, Shelf } from './shelf.ts'

export const SEARCH_SORTS = ['relevance', 'nameAsc', 'nameDesc', 'priceAsc', 'priceDesc'] as const
export type SearchSort = (typeof SEARCH_SORTS)[number]

export interface Search {
  readonly text: string | null
  readonly sort: SearchSort
  /** Values that one facet may have; all of the named facets must fit. */
  readonly facets: Readonly<Partial<Record<Facet, readonly string[]>>>
  readonly delivery: Delivery | null
  readonly inStock: boolean
  /** As the caller sees prices, both included. */
  readonly minPrice: Cents | null
  readonly maxPrice: Cents | null
  /** What the caller pays for what a market asks; never falls when the market's price rises. */
  priceOf(asked: Mills): Cents
  readonly offset: number
  readonly limit: number
}

export interface Found {
  readonly entries: Entry[]
  readonly total: number
}

/**
 * The price of a search is the lowest of all listings; one for automatic delivery alone asks for that
 * price, in its bounds and in its sort.
 */
export function search(shelf: Shelf, wanted: Search): Found {
  const match = wanted.text === null ? null : shelf.vocabulary.find(wanted.text)
  if (wanted.text !== null && match === null) return { entries: [], total: 0 }
  const found = match === null ? fullSet(shelf.size) : match.all.slice()
  applyFacets(shelf, wanted, found)
  if (wanted.delivery === 'instant') intersect(found, shelf.withInstant)
  if (wanted.delivery === 'standard') intersect(found, shelf.withStandard)
  if (wanted.inStock) intersect(found, shelf.inStock)
  applyPrices(shelf, wanted, found)

  const total = count(found)
  const page = createPage(wanted.offset, wanted.limit)
  if (total > wanted.offset) {
    switch (wanted.sort) {
      case 'relevance':
        walkByRelevance(shelf, match?.tiers ?? [], found, page)
        break
      case 'nameAsc':
        walk(shelf.byName, found, page)
        break
      case 'nameDesc':
        walkBackwards(shelf.byName, shelf.size, found, page)
        break
      case 'priceAsc':
        walk(priceOrder(shelf, wanted).ordinals, found, page)
        break
      case 'priceDesc':
        walkByFallingPrice(shelf, wanted, found, page)
        break
    }
  }
  return { entries: page.ordinals.map((ordinal) => shelf.entries[ordinal] as Entry), total }
}

/** The best matches of a text; nothing for a text without words. */
export function suggest(shelf: Shelf, text: string, limit: number): Entry[] {
  const match = shelf.vocabulary.find(text)
  if (match === null) return []
  const page = createPage(0, limit)
  walkByRelevance(shelf, match.tiers, match.all.slice(), page)
  return page.ordinals.map((ordinal) => shelf.entries[ordinal] as Entry)
}

function applyFacets(shelf: Shelf, { facets }: Search, found: Bitset): void {
  for (const [facet, values] of Object.entries(facets) as [Facet, readonly string[]][]) {
    const sets = values.flatMap((value) => shelf.facets[facet].get(value) ?? [])
    if (sets.length === 1) {
      intersect(found, sets[0] as Bitset)
      continue
    }
    const any = emptySet(shelf.size)
    for (const set of sets) unite(any, set)
    intersect(found, any)
  }
}

const priceOrder = (shelf: Shelf, { delivery }: Search): Shelf['byLowest'] =>
  delivery === 'instant' ? shelf.byInstant : shelf.byLowest

const pricedCount = (shelf: Shelf, { delivery }: Search): number =>
  delivery === 'instant' ? shelf.instantCount() : shelf.pricedCount()

/** Prices rise along the order, so the bounds are two places in it, found by halving. */
function applyPrices(shelf: Shelf, wanted: Search, found: Bitset): void {
  const { minPrice, maxPrice } = wanted
  if (minPrice === null && maxPrice === null) return
  const { ordinals, ranks } = priceOrder(shelf, wanted)
  const priced = pricedCount(shelf, wanted)
  const priceAt = (place: number): Cents => {
    const entry = shelf.entries[ordinals[place] as number] as Entry
    return wanted.priceOf((wanted.delivery === 'instant' ? entry.instant : entry.lowest) as Mills)
  }
  const from = minPrice === null ? 0 : firstPlace(priced, (place) => priceAt(place) >= minPrice)
  const to = maxPrice === null ? priced : firstPlace(priced, (place) => priceAt(place) > maxPrice)
  forEach(found, (ordinal) => {
    const place = ranks[ordinal] as number
    if (place < from || place >= to) remove(found, ordinal)
  })
}

/** The first of `size` places at which `fits` is true; it must stay true from there on. */
function firstPlace(size: number, fits: (place: number) => boolean): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (fits(middle)) high = middle
    else low = middle + 1
  }
  return low
}

interface Page {
  readonly ordinals: number[]
  toSkip: number
  toFill: number
}

const createPage = (offset: number, limit: number): Page => ({
  ordinals: [],
  toSkip: offset,
  toFill: limit,
})

function visit(page: Page, ordinal: number): void {
  if (page.toSkip > 0) {
    page.toSkip--
    return
  }
  page.ordinals.push(ordinal)
  page.toFill--
}

function walk(order: Int32Array, found: Bitset, page: Page): void {
  for (let i = 0; i < order.length && page.toFill > 0; i++) {
    const ordinal = order[i] as number
    if (has(found, ordinal)) visit(page, ordinal)
  }
}

function walkBackwards(order: Int32Array, from: number, found: Bitset, page: Page): void {
  for (let i = from - 1; i >= 0 && page.toFill > 0; i--) {
    const ordinal = order[i] as number
    if (has(found, ordinal)) visit(page, ordinal)
  }
}

/** Items without a price come last in both directions. */
function walkByFallingPrice(shelf: Shelf, wanted: Search, found: Bitset, page: Page): void {
  const { ordinals } = priceOrder(shelf, wanted)
  const priced = pricedCount(shelf, wanted)
  walkBackwards(ordinals, priced, found, page)
  walk(ordinals.subarray(priced), found, page)
}

/** Group after group, each by popularity. Below this many, sorting beats walking the whole order. */
const SORT_BELOW = 400

function walkByRelevance(shelf: Shelf, tiers: readonly Bitset[], found: Bitset, page: Page): void {
  const rest = found
  for (const tier of tiers) {
    if (page.toFill === 0) return
    const group = tier.slice()
    intersect(group, rest)
    walkByPopularity(shelf, group, page)
    subtract(rest, group)
  }
  walkByPopularity(shelf, rest, page)
}

function walkByPopularity(shelf: Shelf, group: Bitset, page: Page): void {
  const size = count(group)
  if (size <= page.toSkip) {
    page.toSkip -= size
    return
  }
  const { ordinals, ranks } = shelf.byPopularity
  if (size >= SORT_BELOW) {
    walk(ordinals, group, page)
    return
  }
  const places = new Int32Array(size)
  let filled = 0
  forEach(group, (ordinal) => {
    places[filled++] = ranks[ordinal] as number
  })
  places.sort()
  for (let i = page.toSkip; i < size && page.toFill > 0; i++) {
    page.toSkip = 0
    visit(page, ordinals[places[i] as number] as number)
  }
}
