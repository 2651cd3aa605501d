import type { CatalogueItem, Listing } from '../../dataset/types.ts'
import { integer, many, one, type Query } from '../../http/query.ts'
import { yieldTurn } from '../../kernel/turn.ts'
import { createPrepared } from '../prepared.ts'
import type { MarketBDeps } from './deps.ts'
import { pictureUrl, unlockAt, viewDetailed } from './listing-view.ts'
import { say } from './messages.ts'
import type { MarketBNames } from './names.ts'

type Answer = Record<string, unknown>

/** Everything that reads listings, the snapshot and the feed apart. */
export interface MarketBSearch {
  prices(query: Query): Promise<Answer>
  itemsList(query: Query): Answer
  byNames(query: Query): Answer
  byNamesDetailed(query: Query): Answer
  availability(query: Query): Answer
}

const PAGE_ROWS = 100
const MOST_NAMES = 50
const MOST_ITEM_IDS = 100
const LISTINGS_PER_TURN = 5_000

interface PriceEntry {
  readonly item: CatalogueItem
  readonly name: string
  count: number
  leastMills: number
}

export function createMarketBSearch(deps: MarketBDeps, names: MarketBNames): MarketBSearch {
  const { keeper, settings, clock } = deps
  const isOpen = (listing: Listing): boolean => unlockAt(listing, settings) === null
  const openNamed = (name: string): Listing[] => names.listingsNamed(name).filter(isOpen)
  const entries = createPrepared({
    clock,
    maxAgeMs: settings.pricesMaxAgeMs,
    build: () => countPrices(deps, names),
  })

  return {
    async prices(query) {
      const matches = priceFilter(query)
      const items = (await entries.get())
        .filter(({ name, leastMills }) => matches(name, leastMills))
        .map((entry) => viewPrice(entry, one(query, 'minified') === '1'))
      return { success: true, items }
    },
    itemsList(query) {
      const matches = priceFilter(query)
      const rows: Listing[] = []
      for (const listing of keeper.dataset.listings('market_b')) {
        if (!matches(names.nameOf(listing.asset.item), listing.priceMills)) continue
        if (isOpen(listing)) rows.push(listing)
      }
      sortListings(rows, query, names)
      const skip = integer(query, 'skip') ?? 0
      const items = rows.slice(skip, skip + PAGE_ROWS).map((listing) => viewRow(listing, names))
      return { success: true, items, count: rows.length }
    },
    byNames(query) {
      const asked = many(query, 'names')
      if (asked.length === 0 || asked.length > MOST_NAMES) return { ...say('Invalid names') }
      const items = asked.flatMap((name) => openNamed(name).map((row) => viewShort(row, names)))
      return { success: true, items }
    },
    byNamesDetailed(query) {
      const asked = many(query, 'name')
      if (asked.length === 0 || asked.length > MOST_NAMES) return { ...say('Invalid name') }
      const items: Record<string, unknown> = {}
      for (const name of asked) {
        items[name] = openNamed(name).map((listing) => viewDetailed(listing, names))
      }
      return { success: true, items }
    },
    availability(query) {
      const ids = many(query, 'item_id')
      if (ids.length === 0 || ids.length > MOST_ITEM_IDS) return { ...say('Invalid item_id') }
      const items = ids.map((id) => {
        const listing = keeper.dataset.listing('market_b', id)
        if (listing === undefined) return { item_id: id, selling: false, price: 0, name: '' }
        const name = names.nameOf(listing.asset.item)
        return { item_id: id, selling: isOpen(listing), price: listing.priceMills, name }
      })
      return { success: true, items }
    },
  }
}

async function countPrices(
  { keeper, settings }: MarketBDeps,
  names: MarketBNames,
): Promise<readonly PriceEntry[]> {
  const entries = new Map<CatalogueItem, PriceEntry>()
  let seen = 0
  for (const listing of [...keeper.dataset.listings('market_b')]) {
    seen += 1
    if (seen % LISTINGS_PER_TURN === 0) await yieldTurn()
    if (unlockAt(listing, settings) !== null) continue
    const { item } = listing.asset
    const entry = entries.get(item)
    if (entry === undefined) {
      const name = names.nameOf(item)
      entries.set(item, { item, name, count: 1, leastMills: listing.priceMills })
    } else {
      entry.count += 1
      entry.leastMills = Math.min(entry.leastMills, listing.priceMills)
    }
  }
  return [...entries.values()]
}

function priceFilter(query: Query): (name: string, priceMills: number) => boolean {
  const leastMills = integer(query, 'min_price') ?? 0
  const mostMills = integer(query, 'max_price') ?? Number.POSITIVE_INFINITY
  const words = (one(query, 'search') ?? '').toLowerCase()
  return (name, priceMills) =>
    priceMills >= leastMills && priceMills <= mostMills && name.toLowerCase().includes(words)
}

function viewPrice({ item, name, count, leastMills }: PriceEntry, isShort: boolean): Answer {
  if (isShort) return { name, count, min: leastMills }
  return {
    name,
    count,
    min: leastMills,
    img: pictureUrl(item.iconUrl),
    steam_price: String(item.referencePriceMills),
    type: item.itemType,
  }
}

function sortListings(rows: Listing[], query: Query, names: MarketBNames): void {
  const sign = one(query, 'order')?.toLowerCase() === 'desc' ? -1 : 1
  const orderBy = one(query, 'order_by') ?? 'price'
  if (orderBy === 'name') {
    const nameOf = (listing: Listing): string => names.nameOf(listing.asset.item)
    rows.sort((left, right) => sign * (nameOf(left) < nameOf(right) ? -1 : 1))
  } else rows.sort((left, right) => sign * (left.priceMills - right.priceMills))
}

function viewRow(listing: Listing, names: MarketBNames): Answer {
  const { item, wear } = listing.asset
  return {
    item_id: listing.id,
    name: names.nameOf(item),
    price: listing.priceMills,
    float: wear,
    steam_price: item.referencePriceMills,
    brand: item.weapon ?? '',
    type: item.itemType,
  }
}

function viewShort(listing: Listing, names: MarketBNames): Answer {
  const { item } = listing.asset
  return {
    name: names.nameOf(item),
    price: listing.priceMills,
    image: pictureUrl(item.iconUrl),
    item_id: listing.id,
    ...(item.phase === null ? {} : { phase: item.phase }),
  }
}
