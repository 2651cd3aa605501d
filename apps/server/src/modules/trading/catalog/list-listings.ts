// Listings come from the database, through a cache of a quarter of a second: under load one query serves
// all callers that ask it in the same moment.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createKeyedMemo } from '#infra/process/memo'
import type { Mills } from '#kernel/money'
import type { Delivery } from './item.ts'
import type { Listing } from './listing.ts'
import { type ListingSort, listCheapest, listListings } from './store/listings.ts'

export interface ListingQuery {
  readonly itemId: string
  /** What the market asks, both included. */
  readonly minMills: Mills | null
  readonly maxMills: Mills | null
  readonly minWear: number | null
  readonly maxWear: number | null
  readonly paintSeed: number | null
  readonly delivery: Delivery | null
  readonly hasStickers: boolean | null
  readonly sort: ListingSort
  readonly offset: number
  readonly limit: number
}

export interface ListingPage {
  readonly rows: readonly Listing[]
  readonly total: number
}

export interface ListingReader {
  listListings(query: ListingQuery): Promise<ListingPage>
  listCheapest(itemIds: readonly string[]): Promise<readonly Listing[]>
  /** What is asked from now on of an item is read from the database. */
  forget(itemId: string): void
}

const LISTINGS_FRESH_MS = 250
const CHEAPEST_FRESH_MS = 1000
const REMEMBERED = 500

export function createListingReader({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): ListingReader {
  const listings = createKeyedMemo<ListingPage>({
    clock,
    freshMs: LISTINGS_FRESH_MS,
    max: REMEMBERED,
  })
  const cheapest = createKeyedMemo<readonly Listing[]>({
    clock,
    freshMs: CHEAPEST_FRESH_MS,
    max: REMEMBERED,
  })
  // Part of the keys: what is being read of an item while it is forgotten is of the keys before. One number
  // for each item that was bought here.
  const forgotten = new Map<string, number>()
  const timesForgotten = (itemId: string): number => forgotten.get(itemId) ?? 0
  return {
    listListings: (query) => {
      const { sort, offset, limit, ...filter } = query
      const key = [timesForgotten(query.itemId), ...Object.values(query)].join('|')
      return listings(key, () => listListings(db, filter, { sort, offset, limit }))
    },
    listCheapest: (itemIds) => {
      const times = itemIds.reduce((sum, itemId) => sum + timesForgotten(itemId), 0)
      return cheapest(`${times}|${itemIds.join()}`, () => listCheapest(db, itemIds))
    },
    forget: (itemId) => void forgotten.set(itemId, timesForgotten(itemId) + 1),
  }
}
