// Filters, sorts and pages over a table of listings. What fits often is met soon on a walk along the order;
// what an item, a sticker or a range of prices or wears names is looked at alone; the rest is one pass over
// the columns, which at a million listings takes some milliseconds and gives way to other requests between
// slices.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Delivery } from '../item.ts'
import type { MarketId } from '../ports.ts'
import { type Bitset, count, forEach, has, members } from './bitset.ts'
import {
  columnOf,
  comparePlaces,
  keysOf,
  type ListingBounds,
  type ListingOrder,
  segmentsOf,
  walkSegment,
} from './listing-order.ts'
import { createPage, type Page } from './listing-page.ts'
import { type ListingAttributes, type ListingTable, NO_WEAR } from './listing-table.ts'
import type { Entry, SearchIndex } from './search-index.ts'
import { downTo, type Place, upTo } from './slot-order.ts'

/** What a listing must be like, apart from its item. */
export interface ListingTerms extends ListingBounds {
  /** One of them. */
  readonly paintSeeds: readonly number[] | null
  /** Names; all of them are on it. */
  readonly stickers: readonly string[]
  /** One of them. */
  readonly markets: readonly MarketId[] | null
  readonly delivery: Delivery | null
}

/** Items of one state of the catalogue. */
export interface ItemSelection {
  readonly index: SearchIndex
  /** Null: all of them. */
  readonly set: Bitset | null
}

export interface ListingSearch {
  readonly items: ItemSelection
  readonly terms: ListingTerms
  /** What is offered on other markets is not found. */
  readonly upMarkets: readonly MarketId[]
  readonly order: ListingOrder
  /** Behind this place of the order. */
  readonly after: Place | null
  readonly limit: number
}

/** The ids of what was found, in its order, with the place of each. */
type FoundPlaces = readonly Place[]

/** Items have numbers in a table of listings, and ordinals in a search index. */
interface ItemMap {
  /** By number; -1: it is not in the catalogue. */
  readonly ordinals: Int32Array
  /** By ordinal; -1: it has never been offered. */
  readonly numbers: Int32Array
}

/** Kept while table and index are the same. */
export function createItemMaps(): (table: ListingTable, index: SearchIndex) => ItemMap {
  let known: (ItemMap & { table: ListingTable; index: SearchIndex }) | null = null
  return (table, index) => {
    const { size } = table.items
    if (known?.table === table && known.index === index && known.ordinals.length === size) {
      return known
    }
    const ordinals = new Int32Array(size)
    const numbers = new Int32Array(index.size).fill(-1)
    for (let number = 0; number < size; number++) {
      const ordinal = index.ordinalOf.get(table.items.textOf(number)) ?? -1
      ordinals[number] = ordinal
      if (ordinal >= 0) numbers[ordinal] = number
    }
    known = { table, index, ordinals, numbers }
    return known
  }
}

/**
 * Steps along an order, each at another place of the memory, before candidates or columns are read instead.
 */
const MOST_STEPS = 20_000
/** More are passed sooner than looked at one by one, of a million. */
const MOST_CANDIDATES = 25_000
const SLOTS_A_TURN = 250_000

export async function findListings(
  table: ListingTable,
  itemMap: ItemMap,
  wanted: ListingSearch,
): Promise<FoundPlaces> {
  const fits = withItems(createFits(table, wanted), { table, ...itemMap, ...wanted })
  if (fits === null) return []
  const candidates = candidatesOf(table, itemMap.numbers, wanted)
  if (candidates === null || candidates.isInOrder || candidates.count > MOST_STEPS) {
    const walked = walk(table, wanted, fits)
    if (walked !== null) return walked
  }
  const page = createPage(table, wanted)
  if (candidates !== null && candidates.count <= MOST_CANDIDATES) {
    candidates.walk((slot) => {
      if (fits(slot)) page.offer(slot)
    })
    return page.places()
  }
  // While others are served, a listing that stays as it is stays in its slot.
  for (let from = 0; from < table.columns.used; from += SLOTS_A_TURN) {
    if (from > 0) await nextTurn()
    pass(
      table,
      { from, to: Math.min(from + SLOTS_A_TURN, table.columns.used) },
      { wanted, fits, page },
    )
  }
  return page.places()
}

/** Reads the columns from slot to slot: first what numbers alone decide, in the loop itself. */
function pass(
  { columns }: ListingTable,
  { from, to }: { readonly from: number; readonly to: number },
  {
    wanted,
    fits,
    page,
  }: { readonly wanted: ListingSearch; readonly fits: Fits; readonly page: Page },
): void {
  const { mills, wears } = columns
  const { least, most, leastWear, mostWear } = boundsOf(wanted.terms)
  const keys = columnOf(columns, wanted.order)
  for (let slot = from; slot < to; slot++) {
    const key = keys[slot] as number
    if (key < page.leastKey || key > page.mostKey) continue
    const price = mills[slot] as number
    if (price < least || price > most) continue
    const wear = wears[slot] as number
    if (wear < leastWear || wear > mostWear) continue
    if (fits(slot)) page.offer(slot)
  }
}

/** Of one item. */
export interface ItemSearch extends Omit<ListingSearch, 'items' | 'after' | 'order'> {
  readonly itemId: string
  readonly order: Exclude<ListingOrder, 'newest'>
  /** With any, or with none; null: whatever. */
  readonly hasStickers: boolean | null
  readonly offset: number
}

/** Its listings that fit: so many from the offset on, and how many there are in all. */
export function pageOfItem(
  table: ListingTable,
  wanted: ItemSearch,
): { readonly places: FoundPlaces; readonly total: number } {
  const item = table.items.find(wanted.itemId)
  const fits = withStickers(createFits(table, wanted), table, wanted.hasStickers)
  if (item < 0 || fits === null) return { places: [], total: 0 }
  const { order, offset, limit } = wanted
  const keyOf = keysOf(table, order)
  const placeAt = (slot: number): Place => ({
    key: keyOf(slot),
    id: table.columns.ids[slot] as number,
  })
  const kept = table.ordersOfItem(item)
  if (kept === null) {
    const found: Place[] = []
    table.walkItem(item, (slot) => {
      if (fits(slot)) found.push(placeAt(slot))
      return true
    })
    found.sort((left, right) => comparePlaces(order, left, right))
    return { places: found.slice(offset, offset + limit), total: found.length }
  }
  const places: Place[] = []
  let total = 0
  for (const segment of segmentsOf({ ...table.orders, ...kept }, { ...wanted, after: null })) {
    walkSegment(segment, keyOf, (slot) => {
      if (fits(slot) && ++total > offset && places.length < limit) places.push(placeAt(slot))
      return true
    })
  }
  return { places, total }
}

/** Null when there are more than `most`. */
export function selectedIds({ index, set }: ItemSelection, most: number): string[] | null {
  const size = set === null ? index.size : count(set)
  if (size > most) return null
  const ordinals = set === null ? index.entries.keys() : members(set)
  return Array.from(ordinals, (ordinal) => (index.entries[ordinal] as Entry).item.id)
}

export function isSelected({ index, set }: ItemSelection, itemId: string): boolean {
  const ordinal = index.ordinalOf.get(itemId)
  return ordinal !== undefined && (set === null || has(set, ordinal))
}

/** The same of one listing that is known by its attributes. */
export function fitsTerms(attributes: ListingAttributes, terms: ListingTerms): boolean {
  const { minMills, maxMills, minWear, maxWear, paintSeeds, stickers, markets, delivery } = terms
  const wear = attributes.wear ?? NO_WEAR
  return (
    (minMills === null || attributes.mills >= minMills) &&
    (maxMills === null || attributes.mills <= maxMills) &&
    ((minWear === null && maxWear === null) ||
      (wear >= (minWear ?? 0) && wear <= (maxWear ?? 1))) &&
    (paintSeeds === null ||
      (attributes.paintSeed !== null && paintSeeds.includes(attributes.paintSeed))) &&
    (markets === null || markets.includes(attributes.market)) &&
    (delivery === null || attributes.delivery === delivery) &&
    stickers.every((name) => attributes.stickers.includes(name))
  )
}

type Fits = (slot: number) => boolean

function withItems(
  fits: Fits | null,
  { table, ordinals, items }: { table: ListingTable } & ItemMap & Pick<ListingSearch, 'items'>,
): Fits | null {
  if (fits === null) return null
  const { set } = items
  return (slot) => {
    if (!fits(slot)) return false
    const item = table.columns.items[slot] as number
    const ordinal = item < ordinals.length ? (ordinals[item] as number) : -1
    return ordinal >= 0 && (set === null || has(set, ordinal))
  }
}

const withStickers = (
  fits: Fits | null,
  table: ListingTable,
  wanted: boolean | null,
): Fits | null =>
  fits === null || wanted === null
    ? fits
    : (slot) => fits(slot) && table.hasAnySticker(slot) === wanted

/** Whatever the item. Null when nothing can fit. */
function createFits(
  table: ListingTable,
  { terms, upMarkets }: Pick<ListingSearch, 'terms' | 'upMarkets'>,
): Fits | null {
  const stickers = [...new Set(terms.stickers)].map(table.stickers.find)
  if (stickers.includes(-1)) return null
  const isWanted = new Uint8Array(table.markets.size)
  for (const market of terms.markets ?? upMarkets) {
    const number = upMarkets.includes(market) ? table.markets.find(market) : -1
    if (number >= 0) isWanted[number] = 1
  }
  if (!isWanted.includes(1)) return null
  const seeds = seedsOf(terms.paintSeeds)
  const { least, most, leastWear, mostWear } = boundsOf(terms)
  const instant = terms.delivery === null ? -1 : terms.delivery === 'instant' ? 1 : 0
  const { columns } = table
  return (slot) => {
    // First what lets the fewest pass.
    if (seeds !== null && seeds[(columns.seeds[slot] as number) + 1] === 0) return false
    const price = columns.mills[slot] as number
    if (price < least || price > most) return false
    const wear = columns.wears[slot] as number
    if (wear < leastWear || wear > mostWear) return false
    if ((columns.items[slot] as number) < 0) return false
    if (isWanted[columns.markets[slot] as number] !== 1) return false
    if (instant >= 0 && columns.instants[slot] !== instant) return false
    for (const sticker of stickers) if (!table.hasSticker(slot, sticker)) return false
    return true
  }
}

/** As numbers: a listing without wear has none between bounds of wear. */
function boundsOf({ minMills, maxMills, minWear, maxWear }: ListingBounds) {
  const hasWear = minWear !== null || maxWear !== null
  return {
    least: minMills ?? Number.NEGATIVE_INFINITY,
    most: maxMills ?? Number.POSITIVE_INFINITY,
    leastWear: minWear ?? 0,
    mostWear: maxWear ?? (hasWear ? 1 : NO_WEAR),
  }
}

const MAX_SEED = 32_767

/** By seed, one higher: the first is of those without. */
function seedsOf(paintSeeds: readonly number[] | null): Uint8Array | null {
  if (paintSeeds === null) return null
  const seeds = new Uint8Array(MAX_SEED + 2)
  for (const seed of paintSeeds) seeds[seed + 1] = 1
  return seeds
}

/** Slots among which all that fit are. */
interface Candidates {
  readonly count: number
  /** They are a part of the order in which listings are wanted: a walk along it meets no others. */
  readonly isInOrder: boolean
  walk(visit: (slot: number) => void): void
}

/** The fewest; null when nothing names fewer than all. */
function candidatesOf(
  table: ListingTable,
  numbers: Int32Array,
  wanted: ListingSearch,
): Candidates | null {
  const all = [
    ...stickersOf(table, wanted.terms.stickers),
    ...rangesOf(table, wanted),
    ...paintedOf(table, wanted.terms.paintSeeds),
    ...offeredOf(table, numbers, wanted.items),
  ]
  return all.reduce<Candidates | null>(
    (fewest, one) => (fewest !== null && fewest.count <= one.count ? fewest : one),
    null,
  )
}

const every = (visit: (slot: number) => void) => (slot: number) => {
  visit(slot)
  return true
}

const stickersOf = (table: ListingTable, names: readonly string[]): Candidates[] =>
  names.map((name) => {
    const sticker = table.stickers.find(name)
    return {
      count: table.countOfSticker(sticker),
      isInOrder: false,
      // Once for each listing, however often the sticker is on it.
      walk: (visit) => {
        const slots = new Set<number>()
        table.walkSticker(
          sticker,
          every((slot) => slots.add(slot)),
        )
        for (const slot of slots) visit(slot)
      },
    }
  })

/** Prices or wears between two bounds. */
function rangesOf(table: ListingTable, { terms, order }: ListingSearch): Candidates[] {
  const between = (of: 'price' | 'wear', least: number, most: number): Candidates => {
    const slots = table.orders[of]
    const count = slots.count(upTo(least), downTo(most))
    return {
      count,
      isInOrder: order === `${of}Asc` || order === `${of}Desc`,
      walk: (visit) => {
        let left = count
        slots.walk(upTo(least), 'up', (slot) => {
          if (left-- <= 0) return false
          visit(slot)
          return true
        })
      },
    }
  }
  const { minMills, maxMills, minWear, maxWear } = terms
  const ranges: Candidates[] = []
  if (minMills !== null || maxMills !== null) {
    ranges.push(between('price', minMills ?? 0, maxMills ?? Number.POSITIVE_INFINITY))
  }
  if (minWear !== null || maxWear !== null) ranges.push(between('wear', minWear ?? 0, maxWear ?? 1))
  return ranges
}

function paintedOf(table: ListingTable, paintSeeds: readonly number[] | null): Candidates[] {
  if (paintSeeds === null) return []
  const seeds = [...new Set(paintSeeds)]
  return [
    {
      count: seeds.reduce((sum, seed) => sum + table.countOfSeed(seed), 0),
      isInOrder: false,
      walk: (visit) => {
        for (const seed of seeds) table.walkSeed(seed, every(visit))
      },
    },
  ]
}

function offeredOf(table: ListingTable, numbers: Int32Array, { set }: ItemSelection): Candidates[] {
  if (set === null) return []
  const offered: number[] = []
  let count = 0
  forEach(set, (ordinal) => {
    const item = numbers[ordinal] as number
    if (item < 0) return
    offered.push(item)
    count += table.countOfItem(item)
  })
  return [
    {
      count,
      isInOrder: false,
      walk: (visit) => {
        for (const item of offered) table.walkItem(item, every(visit))
      },
    },
  ]
}

/** The page as far as a bounded walk along the order finds it; null when the walk ended before the page. */
function walk(table: ListingTable, wanted: ListingSearch, fits: Fits): FoundPlaces | null {
  const found: Place[] = []
  let steps = 0
  const keyOf = keysOf(table, wanted.order)
  for (const segment of segmentsOf(table.orders, wanted)) {
    let isWhole = true
    walkSegment(segment, keyOf, (slot) => {
      isWhole = ++steps <= MOST_STEPS
      if (isWhole && fits(slot)) {
        found.push({ key: keyOf(slot), id: table.columns.ids[slot] as number })
      }
      return isWhole && found.length < wanted.limit
    })
    if (found.length === wanted.limit) return found
    if (!isWhole) return null
  }
  return found
}
