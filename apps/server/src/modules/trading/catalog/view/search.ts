// Filters, sorts and pages over a search index. No search sorts: it intersects sets and walks an order.
import { unreachable } from '#kernel/assert'
import type { Cents, Mills } from '#kernel/money'
import type { Delivery } from '../item.ts'
import type { MarketId } from '../ports.ts'
import {
  add,
  type Bitset,
  count,
  emptySet,
  forEach,
  fullSet,
  has,
  intersect,
  subtract,
  unite,
} from './bitset.ts'
import type { Order } from './order.ts'
import { type Entry, FACETS, type Facet, type SearchIndex } from './search-index.ts'
import type { Group } from './vocabulary.ts'

export const SEARCH_SORTS = [
  'relevance',
  'popularity',
  'nameAsc',
  'nameDesc',
  'priceAsc',
  'priceDesc',
] as const
export type SearchSort = (typeof SEARCH_SORTS)[number]

export interface Search {
  readonly text: string | null
  readonly sort: SearchSort
  /** Values that one facet may have; all of the named facets must fit. */
  readonly facets: Readonly<Partial<Record<Facet, readonly string[]>>>
  /** Values of whatever facet; all of them must fit. */
  readonly tags?: readonly string[]
  readonly delivery: Delivery | null
  readonly inStock: boolean
  /** One of these has it; left out: any, or none. */
  readonly markets?: readonly MarketId[]
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
export function search(index: SearchIndex, wanted: Search): Found {
  const match = wanted.text === null ? null : index.vocabulary.find(wanted.text)
  if (wanted.text !== null && match === null) return { entries: [], total: 0 }
  const filter = filterOf(index, wanted)
  const found = combine(match?.all ?? null, filter) ?? fullSet(index.size)
  const total = filter === null ? (match?.size ?? index.size) : count(found)
  const page = createPage(wanted.offset, wanted.limit)
  if (wanted.sort !== 'relevance') {
    fill(sequenceOf(index, wanted, wanted.sort), { set: found, size: total }, page)
  } else {
    const groups = match?.groups ?? [{ set: found, size: total }]
    fillByRelevance(index, groups, filter, page)
  }
  return { entries: page.ordinals.map((ordinal) => index.entries[ordinal] as Entry), total }
}

/** The best matches of a text, for sale or not; nothing for a text without words. */
export function suggest(index: SearchIndex, text: string, limit: number): Entry[] {
  const match = index.vocabulary.find(text)
  if (match === null) return []
  const page = createPage(0, limit)
  const byPopularity = forwards(index.byPopularity, index.size)
  for (const group of match.groups) fill(byPopularity, group, page)
  return page.ordinals.map((ordinal) => index.entries[ordinal] as Entry)
}

/** What of the catalogue fits, for sale or not; null when everything does. Not to be written to. */
export function selectItems(
  index: SearchIndex,
  { text, facets }: Pick<Search, 'text' | 'facets'>,
): Bitset | null {
  const match = text === null ? null : index.vocabulary.find(text)
  if (text !== null && match === null) return emptySet(index.size)
  return combine(match?.all ?? null, facetsSet(index, facets))
}

function facetsSet(index: SearchIndex, facets: Search['facets']): Bitset | null {
  let set: Bitset | null = null
  for (const [facet, values] of Object.entries(facets) as [Facet, readonly string[]][]) {
    set = combine(set, facetSet(index, facet, values))
  }
  return set
}

/** Every filter but the text, or null when there is none. */
function filterOf(index: SearchIndex, wanted: Search): Bitset | null {
  const sets: Bitset[] = []
  for (const tag of wanted.tags ?? []) sets.push(tagSet(index, tag))
  if (wanted.delivery === 'instant') sets.push(index.withInstant)
  if (wanted.delivery === 'standard') sets.push(index.withStandard)
  if (wanted.inStock) sets.push(index.inStock)
  if (wanted.markets !== undefined) sets.push(marketSet(index, wanted.markets))
  if (wanted.minPrice !== null || wanted.maxPrice !== null) sets.push(priceSet(index, wanted))
  let filter = facetsSet(index, wanted.facets)
  for (const set of sets) filter = combine(filter, set)
  return filter
}

/** What is in both; null stands for everything. Shared sets are not written to. */
function combine(left: Bitset | null, right: Bitset | null): Bitset | null {
  if (left === null || right === null) return left ?? right
  const both = left.slice()
  intersect(both, right)
  return both
}

function facetSet(index: SearchIndex, facet: Facet, values: readonly string[]): Bitset {
  const sets = values.flatMap((value) => index.facets[facet].get(value) ?? [])
  const [only] = sets
  if (sets.length === 1 && only !== undefined) return only
  const any = emptySet(index.size)
  for (const set of sets) unite(any, set)
  return any
}

function marketSet(index: SearchIndex, markets: readonly MarketId[]): Bitset {
  const any = emptySet(index.size)
  for (const market of markets) {
    const set = index.byMarket.get(market)
    if (set !== undefined) unite(any, set)
  }
  return any
}

/** Items that have the value in any of their facets. */
function tagSet(index: SearchIndex, value: string): Bitset {
  const any = emptySet(index.size)
  for (const facet of FACETS) {
    const set = index.facets[facet].get(value)
    if (set !== undefined) unite(any, set)
  }
  return any
}

const priceOrder = (index: SearchIndex, { delivery }: Search): SearchIndex['byLowest'] =>
  delivery === 'instant' ? index.byInstant : index.byLowest

const pricedCount = (index: SearchIndex, { delivery }: Search): number =>
  delivery === 'instant' ? index.instantCount() : index.pricedCount()

/** Prices rise along the order, so the bounds are two places in it, found by halving. */
function priceSet(index: SearchIndex, wanted: Search): Bitset {
  const { minPrice, maxPrice } = wanted
  const { ordinals } = priceOrder(index, wanted)
  const priced = pricedCount(index, wanted)
  const priceAt = (place: number): Cents => {
    const entry = index.entries[ordinals[place] as number] as Entry
    return wanted.priceOf((wanted.delivery === 'instant' ? entry.instant : entry.lowest) as Mills)
  }
  const from = minPrice === null ? 0 : firstPlace(priced, (place) => priceAt(place) >= minPrice)
  const to = maxPrice === null ? priced : firstPlace(priced, (place) => priceAt(place) > maxPrice)
  const range = emptySet(index.size)
  for (let place = from; place < to; place++) add(range, ordinals[place] as number)
  return range
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

/** All items one after the other: which is at a place, and at which place is one. */
interface Sequence {
  readonly size: number
  at(place: number): number
  placeOf(ordinal: number): number
}

function sequenceOf(
  index: SearchIndex,
  wanted: Search,
  sort: Exclude<SearchSort, 'relevance'>,
): Sequence {
  switch (sort) {
    case 'popularity':
      return forwards(index.byPopularity, index.size)
    case 'nameAsc':
      return forwards(index.byName, index.size)
    case 'nameDesc':
      return withFirstReversed(index.byName, index.size, index.size)
    case 'priceAsc':
      return forwards(priceOrder(index, wanted), index.size)
    case 'priceDesc':
      // Items without a price come last in both directions.
      return withFirstReversed(priceOrder(index, wanted), index.size, pricedCount(index, wanted))
    default:
      return unreachable(sort)
  }
}

type Ranked = Pick<Order, 'ordinals' | 'ranks'>

const forwards = ({ ordinals, ranks }: Ranked, size: number): Sequence => ({
  size,
  at: (place) => ordinals[place] as number,
  placeOf: (ordinal) => ranks[ordinal] as number,
})

function withFirstReversed({ ordinals, ranks }: Ranked, size: number, first: number): Sequence {
  const turn = (place: number): number => (place < first ? first - 1 - place : place)
  return {
    size,
    at: (place) => ordinals[turn(place)] as number,
    placeOf: (ordinal) => turn(ranks[ordinal] as number),
  }
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

/** Group after group; in each first what is for sale, then the rest, both by popularity. */
function fillByRelevance(
  index: SearchIndex,
  groups: readonly Group[],
  filter: Bitset | null,
  page: Page,
): void {
  const byPopularity = forwards(index.byPopularity, index.size)
  for (const group of groups) {
    const wanted = combine(group.set, filter) as Bitset
    const forSale = wanted.slice()
    intersect(forSale, index.inStock)
    fill(byPopularity, { set: forSale, size: count(forSale) }, page)
    if (page.toFill === 0) return
    const rest = wanted.slice()
    subtract(rest, index.inStock)
    fill(byPopularity, { set: rest, size: count(rest) }, page)
  }
}

/** Adds to a page what of a group belongs there. */
function fill(sequence: Sequence, group: Group, page: Page): void {
  const { set, size } = group
  if (page.toFill === 0 || size === 0) return
  if (size <= page.toSkip) {
    page.toSkip -= size
    return
  }
  // Members of a large group are met soon on a walk along the sequence; a few are sooner sorted.
  const steps = (sequence.size * Math.min(size, page.toSkip + page.toFill)) / size
  if (size === sequence.size) walk(sequence, set, page, page.toSkip)
  else if (steps <= size * 8) walk(sequence, set, page, 0)
  else sort(sequence, group, page)
}

function walk(sequence: Sequence, set: Bitset, page: Page, from: number): void {
  if (from > 0) page.toSkip = 0
  for (let place = from; place < sequence.size && page.toFill > 0; place++) {
    const ordinal = sequence.at(place)
    if (!has(set, ordinal)) continue
    if (page.toSkip > 0) page.toSkip--
    else take(page, ordinal)
  }
}

function sort(sequence: Sequence, { set, size }: Group, page: Page): void {
  const places = new Int32Array(size)
  let filled = 0
  forEach(set, (ordinal) => {
    places[filled++] = sequence.placeOf(ordinal)
  })
  places.sort()
  for (let i = page.toSkip; i < size && page.toFill > 0; i++) {
    take(page, sequence.at(places[i] as number))
  }
  page.toSkip = 0
}

function take(page: Page, ordinal: number): void {
  page.ordinals.push(ordinal)
  page.toFill--
}
