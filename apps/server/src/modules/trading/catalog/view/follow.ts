// The catalogue as one process holds it in memory, kept up with the database: a notice says that
// something changed, a number says from where to read, and a slow look catches what a notice lost.

import { gathered } from '#infra/database/batch'
import type { Db, ReadDb } from '#infra/database/db'
import type { StaleReads } from '#infra/database/replica'
import { startPollLoop } from '#infra/jobs/poll-loop'
import { inChunks } from '#infra/limits/in-chunks'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import type { CatalogItem } from '../item.ts'
import type { MarketId } from '../ports.ts'
import { type ItemChange, listChangedItems } from '../store/items.ts'
import { isForSale, listMarkets } from '../store/markets.ts'
import { countStock, listChangedStock } from '../store/stock.ts'
import { add, emptySet, has } from './bitset.ts'
import { createFamilies, createIconUrls } from './families.ts'
import type { ItemSelection } from './find-listings.ts'
import { historyOf, seqOfVersion } from './list-version.ts'
import { type Found, type Search, search, selectItems, suggest } from './search.ts'
import {
  buildSearchIndex,
  type Entry,
  FACETS,
  type Facet,
  type SearchIndex,
  type Stock,
} from './search-index.ts'
import { combine, noteStock, type ShownMarket, type Stocks, stateOf } from './stocks.ts'

export interface CatalogueView {
  search(wanted: Search): Found
  suggest(text: string, limit: number): readonly Entry[]
  /** Items by what they are; as the catalogue is now. */
  select(wanted: ItemFilter): ItemSelection
  /** Is the catalogue still the one of the selection? */
  isCurrent(selection: ItemSelection): boolean
  /** Markets whose listings are for sale. */
  readonly upMarkets: readonly MarketId[]
  find(itemId: string): Entry | null
  /** Does any item have this value? */
  knows(facet: Facet, value: string): boolean
  /** Is there such a market, up or not? */
  knowsMarket(id: string): boolean
  /** Does any item have this value in any of its facets? */
  knowsTag(value: string): boolean
  /** A rank score: higher is more traded; the least traded item has 1. */
  popularityOf(entry: Entry): number
  /** The same item in its other exteriors and categories, itself included, by name. */
  variantsOf(entry: Entry): readonly Entry[]
  /** Of all items, each once: the same set until items change. */
  readonly iconUrls: ReadonlySet<string>
  /** All items by name. */
  list(page: { readonly offset: number; readonly limit: number }): Found
  /** The most traded items that have a price, the most traded first. */
  mostTraded(limit: number): Entry[]
  /**
   * What changed of the list of all items after a `listVersion` of any process on this database; null when it
   * is none, or more than `most` items changed.
   */
  changesSince(version: string, most: number): Promise<ListChanges | null>
  /** The state of the list of all items. What is read of it is never older. */
  readonly listVersion: string
  /** Rises whenever anything changes. */
  readonly version: number
  /** When it last knew itself to be up with the database; null before the first time. */
  readonly currentAt: Date | null
  /** Reads what changed; resolves when it has been applied. */
  refresh(): Promise<void>
  /** Counts an item from its listings as they are now; resolves when that has been applied. */
  recount(itemId: string): Promise<void>
  stop(): Promise<void>
}

/** All of it must fit; null: whatever. */
export interface ItemFilter extends Pick<Search, 'text' | 'facets'> {
  readonly itemIds: readonly string[] | null
}

export interface ListChanges {
  /** Up to which they go. */
  readonly version: string
  /** By name. */
  readonly entries: readonly Entry[]
  /** Ids of items that are no longer in the list. */
  readonly removed: readonly string[]
}

export interface ViewDeps {
  readonly db: Db
  /** The first load, which reads all of it. Without it the load is the primary's. */
  readonly staleReads?: StaleReads
  readonly clock: Clock
  /** A refresh failed; the next one starts where the last good one ended. */
  onError(error: unknown): void
}

export const CHANGE_CHANNEL = 'catalog_change'
const POLL_MS = 2000
/** Notices come in bursts while a market is read whole; one refresh serves many. */
const REST_MS = 100
/** Longer than any batch that may have counted an item before it was recounted. */
const RECOUNTED_MS = 60_000
const REMEMBERED_SUGGESTIONS = 2000
/** Each piece puts all items in order again: with pieces half as long that would be half of the work. */
const ITEMS_A_TURN = 200

/** Loads the catalogue and follows it until stopped. */
export async function openCatalogueView(deps: ViewDeps): Promise<CatalogueView> {
  const memory = createMemory(deps)
  const variantsOf = createFamilies()
  const iconUrlsOf = createIconUrls()
  const follower = startPollLoop({
    pollMs: POLL_MS,
    restMs: REST_MS,
    firstMs: POLL_MS,
    run: memory.refresh,
    onError: deps.onError,
  })
  const unlisten = await deps.db.listen(CHANGE_CHANNEL, follower.wake)
  // A change has its number before it commits, and numbers commit in their order: what the replica lacks is
  // all above the last one that it has, and the refresh reads it.
  await deps.staleReads?.(memory.load)
  await memory.refresh()
  return {
    search: (wanted) => search(memory.index(), wanted),
    suggest: memory.suggest,
    select: (wanted) => select(memory.index(), wanted),
    isCurrent: ({ index }) => index === memory.index(),
    get upMarkets() {
      return memory.markets().flatMap(({ id, isUp }) => (isUp ? [id] : []))
    },
    get iconUrls() {
      return iconUrlsOf(memory.index())
    },
    find: (itemId) => {
      const index = memory.index()
      const ordinal = index.ordinalOf.get(itemId)
      return ordinal === undefined ? null : (index.entries[ordinal] ?? null)
    },
    knows: (facet, value) => memory.index().facets[facet].has(value),
    knowsMarket: (id) => memory.markets().some((market) => market.id === id),
    knowsTag: (value) => FACETS.some((facet) => memory.index().facets[facet].has(value)),
    popularityOf: ({ ordinal }) => {
      const { byPopularity, size } = memory.index()
      return size - (byPopularity.ranks[ordinal] as number)
    },
    variantsOf: (entry) => variantsOf(memory.index(), entry),
    list: ({ offset, limit }) => {
      const { byName, entries, size } = memory.index()
      const ordinals = byName.ordinals.subarray(offset, Math.min(offset + limit, size))
      return { entries: Array.from(ordinals, (ordinal) => entries[ordinal] as Entry), total: size }
    },
    mostTraded: (limit) => mostTraded(memory.index(), limit),
    changesSince: memory.changesSince,
    get listVersion() {
      return memory.listVersion()
    },
    get version() {
      return memory.version()
    },
    get currentAt() {
      return memory.currentAt()
    },
    refresh: memory.refresh,
    recount: memory.recount,
    stop: async () => {
      await Promise.all([follower.stop(), unlisten()])
    },
  }
}

function select(index: SearchIndex, { itemIds, ...wanted }: ItemFilter): ItemSelection {
  const fitting = selectItems(index, wanted)
  if (itemIds === null) return { index, set: fitting }
  const set = emptySet(index.size)
  for (const itemId of itemIds) {
    const ordinal = index.ordinalOf.get(itemId)
    if (ordinal !== undefined && (fitting === null || has(fitting, ordinal))) add(set, ordinal)
  }
  return { index, set }
}

function mostTraded({ byPopularity, entries }: SearchIndex, limit: number): Entry[] {
  const found: Entry[] = []
  for (let i = 0; i < byPopularity.ordinals.length && found.length < limit; i++) {
    const entry = entries[byPopularity.ordinals[i] as number] as Entry
    if (entry.lowest !== null) found.push(entry)
  }
  return found
}

interface Memory {
  index(): SearchIndex
  suggest(text: string, limit: number): readonly Entry[]
  changesSince(version: string, most: number): Promise<ListChanges | null>
  markets(): readonly ShownMarket[]
  listVersion(): string
  version(): number
  currentAt(): Date | null
  /** Once, before the first refresh. */
  load(from: ReadDb): Promise<void>
  refresh(): Promise<void>
  recount(itemId: string): Promise<void>
}

function createMemory({ db, clock }: ViewDeps): Memory {
  const items = new Map<string, CatalogItem>()
  const itemSeqs = new Map<string, bigint>()
  const unlisted = new Map<string, bigint>()
  const stocks: Stocks = new Map()
  const recounted = new Map<string, number>()
  let markets: readonly ShownMarket[] = []
  let itemSeq = -1n
  let stockSeq = -1n
  let index: SearchIndex | null = null
  let version = 0
  let history = ''
  let listSeq = 0n
  let currentAt: Date | null = null
  let refreshing: Promise<void> | null = null
  let again = false
  // Who types asks what others typed; until items change the answer is the same.
  const suggestions = createBoundedCache<readonly Entry[]>(REMEMBERED_SUGGESTIONS)

  const stockOf = (itemId: string): Stock =>
    combine(stocks.get(itemId), markets, itemSeqs.get(itemId) ?? 0n)

  // One call at a time, so that an older count never comes after a newer one.
  const count = gathered({
    keyOf: () => '',
    write: async (itemIds: readonly string[]) => {
      for (const stock of await countStock(db, [...new Set(itemIds)])) noteStock(stocks, stock)
      // One after the other: to move one item in the orders costs little, to move several costs a pass.
      for (const itemId of itemIds) index?.setStock(changesOf(index, [itemId], stockOf))
      version++
      return itemIds
    },
  })
  const recount = async (itemId: string): Promise<void> => {
    recounted.set(itemId, clock.now().getTime())
    await count(itemId)
  }

  const read = async (from: ReadDb): Promise<void> => {
    const at = clock.now()
    for (const [itemId, atMs] of recounted) {
      if (at.getTime() - atMs > RECOUNTED_MS) recounted.delete(itemId)
    }
    // Of one moment, so that every change up to the highest number is among them.
    const [itemChanges, stockChanges, marketStates] = await from.snapshot(async (moment) => [
      await listChangedItems(moment, itemSeq),
      await listChangedStock(moment, stockSeq),
      await listMarkets(moment),
    ])
    if (history === '') history = await historyOf(db)
    const rebuild = noteItems(items, itemChanges) || index === null
    for (const { item, listed, seq } of itemChanges) {
      itemSeqs.set(item.id, seq)
      if (listed) unlisted.delete(item.id)
      else unlisted.set(item.id, seq)
    }
    for (const change of stockChanges) noteStock(stocks, change)
    // The table's count may be older than the buy that its item was recounted for.
    const uncertain = new Set(stockChanges.map(({ itemId }) => itemId)).intersection(recounted)
    await Promise.all([...uncertain].map(count))
    const shown = marketStates.map((one) => ({
      id: one.id,
      isUp: isForSale(one),
      seq: one.changedSeq,
    }))
    const switched = stateOf(shown) !== stateOf(markets)
    markets = shown

    if (rebuild) {
      const built = await buildSearchIndex([...items.values()], (item) => stockOf(item.id))
      // Some may have been recounted behind the builder.
      built.setStock(changesOf(built, recounted.keys(), stockOf))
      index = built
    } else if (index !== null) {
      index.setFigures(itemChanges.map(({ item }) => item))
      const touched = switched
        ? [...index.ordinalOf.keys()]
        : [
            ...stockChanges.map((change) => change.itemId),
            ...itemChanges.map(({ item }) => item.id),
          ]
      await setStock(index, touched, stockOf)
    }
    if (rebuild || itemChanges.length > 0) suggestions.clear()
    itemSeq = itemChanges.at(-1)?.seq ?? itemSeq
    stockSeq = stockChanges.at(-1)?.seq ?? stockSeq
    for (const seq of [itemSeq, stockSeq, ...markets.map((market) => market.seq)]) {
      if (seq > listSeq) listSeq = seq
    }
    if (rebuild || switched || itemChanges.length + stockChanges.length > 0) version++
    currentAt = at
  }

  const listVersion = (): string => `${history}.${listSeq}`

  // One at a time; a request during one is served by one more after it, which sees later changes.
  const refresh = (): Promise<void> => {
    if (refreshing !== null) {
      again = true
      return refreshing
    }
    refreshing = (async () => {
      do {
        again = false
        await read(db)
      } while (again)
    })().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const loaded = (): SearchIndex => {
    if (index === null) throw new Error('the catalogue is not loaded yet')
    return index
  }

  return {
    index: loaded,
    suggest: (text, limit) => {
      const key = `${limit} ${text}`
      let found = suggestions.get(key)
      if (found === undefined) {
        found = suggest(loaded(), text, limit)
        suggestions.set(key, found)
      }
      return found
    },
    changesSince: async (since, most) => {
      const seq = seqOfVersion(since, history)
      if (seq === null) return null
      // Another process may have seen more of the database.
      if (seq > listSeq) await refresh()
      if (seq > listSeq) return null
      const removed = [...unlisted].filter(([, at]) => at > seq).map(([itemId]) => itemId)
      const { byName, entries } = loaded()
      const changed: Entry[] = []
      for (const ordinal of byName.ordinals) {
        if (changed.length + removed.length > most) return null
        const entry = entries[ordinal] as Entry
        if (entry.seq > seq) changed.push(entry)
      }
      if (changed.length + removed.length > most) return null
      return { version: listVersion(), entries: changed, removed }
    },
    listVersion,
    markets: () => markets,
    version: () => version,
    currentAt: () => currentAt,
    load: read,
    refresh,
    recount,
  }
}

/** True when words, facets or the set of items changed, so that the search index must be built anew. */
function noteItems(items: Map<string, CatalogItem>, changes: readonly ItemChange[]): boolean {
  let rebuild = false
  for (const { item, listed } of changes) {
    const known = items.get(item.id)
    if (listed) items.set(item.id, item)
    else items.delete(item.id)
    if (!listed) rebuild ||= known !== undefined
    else rebuild ||= known === undefined || shownText(known) !== shownText(item)
  }
  return rebuild
}

const shownText = (item: CatalogItem): string =>
  JSON.stringify({
    ...item,
    ...{
      referenceMills: null,
      quotable: false,
      volume: 0,
      ownSales: 0,
      weekSales: 0,
      lastSale: null,
    },
  })

/** A market that comes or goes touches every item: between two pieces other requests are served. */
async function setStock(
  index: SearchIndex,
  itemIds: readonly string[],
  stockOf: (itemId: string) => Stock,
): Promise<void> {
  for await (const piece of inChunks(itemIds, ITEMS_A_TURN)) {
    index.setStock(changesOf(index, piece, stockOf))
  }
}

function* changesOf(
  index: SearchIndex,
  itemIds: Iterable<string>,
  stockOf: (itemId: string) => Stock,
): Generator<readonly [number, Stock]> {
  for (const itemId of itemIds) {
    const ordinal = index.ordinalOf.get(itemId)
    if (ordinal !== undefined) yield [ordinal, stockOf(itemId)]
  }
}
