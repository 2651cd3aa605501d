// Everything that a search needs of the catalogue, in the order of ordinals: items, what is for sale of
// each, words, facets and orders. What does not move is built once; stock moves under it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks, mapInChunks } from '#infra/limits/in-chunks'
import type { Mills } from '#kernel/money'
import { byPopularity, type CatalogItem } from '../item.ts'
import type { MarketId } from '../ports.ts'
import { teamOf } from '../team.ts'
import { add, type Bitset, emptySet, remove } from './bitset.ts'
import { nicknamesOf, otherTextOf } from './nicknames.ts'
import { createOrder, type Order, sortedOrdinals } from './order.ts'
import { createVocabularyBuilder, type Vocabulary } from './vocabulary.ts'
import { compareCodePoints } from './words.ts'

/** One item with what is for sale of it on all markets that are up. */
export interface Entry {
  readonly ordinal: number
  readonly item: CatalogItem
  /** The cheapest of all listings. */
  readonly lowest: Mills | null
  /** The cheapest with automatic delivery. */
  readonly instant: Mills | null
  readonly standardCount: number
  readonly instantCount: number
  /** Those that are up and have it. */
  readonly markets: readonly MarketId[]
  /** The number of the catalogue's last change of what is shown of it. */
  readonly seq: bigint
  /** Of this state of this entry alone: no other of the process has it. */
  readonly version: number
}

export interface Stock {
  readonly lowest: Mills | null
  readonly instant: Mills | null
  readonly standardCount: number
  readonly instantCount: number
  readonly markets: readonly MarketId[]
  /** The number of the catalogue's last change of the item or of this. */
  readonly seq: bigint
}

export const FACETS = [
  'itemType',
  'weapon',
  'exterior',
  'rarity',
  'category',
  'collection',
  'phase',
  'team',
  'paintIndex',
] as const
export type Facet = (typeof FACETS)[number]

export interface SearchIndex {
  readonly size: number
  readonly entries: readonly Entry[]
  readonly ordinalOf: ReadonlyMap<string, number>
  readonly vocabulary: Vocabulary
  readonly facets: Readonly<Record<Facet, ReadonlyMap<string, Bitset>>>
  readonly inStock: Bitset
  readonly withStandard: Bitset
  readonly withInstant: Bitset
  /** What each market that is up has. */
  readonly byMarket: ReadonlyMap<MarketId, Bitset>
  readonly byName: Pick<Order, 'ordinals' | 'ranks'>
  readonly byPopularity: Order
  /** Items without a price come last. */
  readonly byLowest: Order
  readonly byInstant: Order
  /** How many items have a price: the first so many of `byLowest`, and of `byInstant`. */
  pricedCount(): number
  instantCount(): number
  /** Sets what is for sale of items, all at once. */
  setStock(changes: Iterable<readonly [ordinal: number, stock: Stock]>): void
  /** Sets items whose words and facets are as before: only prices and popularity differ. */
  setFigures(items: readonly CatalogItem[]): void
}

const ITEMS_A_TURN = 200

let lastVersion = 0

/** Lets other work of the process pass between pieces: building 25,000 items takes a while. */
export async function buildSearchIndex(
  items: readonly CatalogItem[],
  stockOf: (item: CatalogItem) => Stock,
): Promise<SearchIndex> {
  // In the order of their ids, so that every process breaks ties alike.
  const byId = await sortedOrdinals(items.length, (left, right) =>
    (items[left] as CatalogItem).id < (items[right] as CatalogItem).id ? -1 : 1,
  )
  const sorted = Array.from(byId, (i) => items[i] as CatalogItem)
  const vocabulary = createVocabularyBuilder()
  const facets = Object.fromEntries(FACETS.map((facet) => [facet, new Map()])) as Record<
    Facet,
    Map<string, Bitset>
  >
  const entries: MutableEntry[] = []
  for await (const piece of inChunks(sorted, ITEMS_A_TURN)) {
    for (const item of piece) {
      const ordinal = entries.length
      vocabulary.add(ordinal, {
        name: item.marketHashName,
        otherText: otherTextOf(item),
        nicknames: nicknamesOf(item),
      })
      for (const facet of FACETS) {
        addToFacet(facets[facet], facetOf(item, facet), ordinal, sorted.length)
      }
      entries.push({ ordinal, item, ...stockOf(item), version: ++lastVersion })
    }
  }
  await nextTurn()
  const byName = await createNameOrder(entries)
  const builtVocabulary = vocabulary.build(sorted.length)
  await nextTurn()
  return assemble(entries, builtVocabulary, facets, byName)
}

type MutableEntry = { -readonly [Key in keyof Entry]: Entry[Key] }

async function assemble(
  entries: MutableEntry[],
  vocabulary: Vocabulary,
  facets: SearchIndex['facets'],
  byName: Order,
): Promise<SearchIndex> {
  const size = entries.length
  // Keys of orders only, never of money: thousandths of a dollar, at most a million dollars.
  const lowestKeys = new Int32Array(size).fill(NO_PRICE)
  const instantKeys = new Int32Array(size).fill(NO_PRICE)
  const sets = {
    inStock: emptySet(size),
    withStandard: emptySet(size),
    withInstant: emptySet(size),
  }
  const byMarket = new Map<MarketId, Bitset>()
  let priced = 0
  let pricedInstant = 0

  const index = (entry: Entry): void => {
    const { ordinal, lowest, instant } = entry
    if (lowestKeys[ordinal] !== NO_PRICE) priced--
    if (instantKeys[ordinal] !== NO_PRICE) pricedInstant--
    lowestKeys[ordinal] = lowest === null ? NO_PRICE : Number(lowest)
    instantKeys[ordinal] = instant === null ? NO_PRICE : Number(instant)
    if (lowest !== null) priced++
    if (instant !== null) pricedInstant++
    put(sets.inStock, ordinal, entry.standardCount + entry.instantCount > 0)
    put(sets.withStandard, ordinal, entry.standardCount > 0)
    put(sets.withInstant, ordinal, entry.instantCount > 0)
    for (const set of byMarket.values()) remove(set, ordinal)
    for (const market of entry.markets) {
      const set = byMarket.get(market) ?? emptySet(size)
      byMarket.set(market, set)
      add(set, ordinal)
    }
  }
  for (const entry of entries) index(entry)

  const byKey = (keys: Int32Array) => (left: number, right: number) =>
    (keys[left] as number) - (keys[right] as number) || left - right
  const byLowest = await createOrder(size, byKey(lowestKeys))
  const byInstant = await createOrder(size, byKey(instantKeys))
  const popularity = await createOrder(size, (left, right) =>
    byPopularity((entries[left] as Entry).item, (entries[right] as Entry).item),
  )
  const ordinalOf = new Map(entries.map((entry) => [entry.item.id, entry.ordinal]))

  return {
    ...{ size, entries, ordinalOf, vocabulary, facets, ...sets, byMarket },
    ...{ byName, byPopularity: popularity, byLowest, byInstant },
    pricedCount: () => priced,
    instantCount: () => pricedInstant,
    setStock: (changes) => {
      // Most changes are of a count alone, which no order knows.
      const moved: { lowest: number[]; instant: number[] } = { lowest: [], instant: [] }
      for (const [ordinal, stock] of changes) {
        const entry = entries[ordinal] as MutableEntry
        // Another process may have shown it without this change.
        entry.seq = stock.seq
        if (isSame(entry, stock)) continue
        if (entry.lowest !== stock.lowest) moved.lowest.push(ordinal)
        if (entry.instant !== stock.instant) moved.instant.push(ordinal)
        Object.assign(entry, stock, { version: ++lastVersion })
        index(entry)
      }
      byLowest.move(moved.lowest)
      byInstant.move(moved.instant)
    },
    setFigures: (items) => {
      const moved: number[] = []
      for (const item of items) {
        const ordinal = ordinalOf.get(item.id)
        if (ordinal === undefined) continue
        const entry = entries[ordinal] as MutableEntry
        entry.item = item
        entry.version = ++lastVersion
        moved.push(ordinal)
      }
      popularity.move(moved)
    },
  }
}

function facetOf(item: CatalogItem, facet: Facet): string | null {
  if (facet === 'team') return teamOf(item)
  const value = item[facet]
  // A stub has no rarity.
  return value === null || value === '' ? null : String(value)
}

const NO_PRICE = 0x7fffffff

const put = (set: Bitset, ordinal: number, member: boolean): void =>
  member ? add(set, ordinal) : remove(set, ordinal)

const isSame = (entry: Entry, stock: Stock): boolean =>
  entry.lowest === stock.lowest &&
  entry.instant === stock.instant &&
  entry.standardCount === stock.standardCount &&
  entry.instantCount === stock.instantCount &&
  entry.markets.length === stock.markets.length &&
  entry.markets.every((market, i) => market === stock.markets[i])

function addToFacet(
  facet: Map<string, Bitset>,
  value: string | null,
  ordinal: number,
  size: number,
): void {
  if (value === null) return
  let set = facet.get(value)
  if (set === undefined) {
    set = emptySet(size)
    facet.set(value, set)
  }
  add(set, ordinal)
}

/** By the code points of the lower-cased name; equal names by what distinguishes them. */
async function createNameOrder(entries: readonly Entry[]): Promise<Order> {
  const keys = await mapInChunks(entries, ITEMS_A_TURN, ({ item }) => [
    item.name.toLowerCase(),
    item.marketHashName.toLowerCase(),
    item.phase ?? '',
  ])
  const compare = (left: number, right: number): number => {
    for (const [part, text] of (keys[left] as string[]).entries()) {
      const order = compareCodePoints(text, (keys[right] as string[])[part] as string)
      if (order !== 0) return order
    }
    return left - right
  }
  return createOrder(entries.length, compare)
}
