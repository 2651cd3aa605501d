// The catalog's verbs, tied to a database and a clock.
import { batched } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type ChangesFollower, followChanges } from './follow-changes.ts'
import { followListings, type ListingsFollower } from './follow-listings.ts'
import { createMarketIngest, type MarketIngest } from './ingest.ts'
import { countSales, countTaken, observeDay, purgeGone } from './keep-stock.ts'
import { createCheapestReader } from './list-cheapest.ts'
import type { Listing, ListingForSale } from './listing.ts'
import type { ImportRules, ItemsPlan } from './plan-items.ts'
import type { ItemSource, MarketId, PriceList } from './ports.ts'
import { ITEMS, type ItemsReport, readPlan, refreshItems, writePlan } from './refresh-items.ts'
import { type PricesReport, refreshPrices } from './refresh-prices.ts'
import { listHistory, type PriceDay } from './store/days.ts'
import { itemsVersion } from './store/items.ts'
import {
  type FittingQuery,
  findFitting,
  findListings,
  findListingsByRawId,
  findSeller,
  listCheapest,
  type RawId,
  type Seller,
  type SellerQuery,
} from './store/listings.ts'
import { countStubs, hasGoodList, type ListState, listStates } from './store/lists.ts'
import { listMarkets, type MarketState } from './store/markets.ts'
import { type PriceReference, readReferences } from './store/references.ts'
import { type Health, markMarket, setMarketEnabled } from './switch-market.ts'
import type { ListingsView } from './view/listings-view.ts'

export interface Catalog {
  /** In the order of the ids; null for an id that was never a listing, or is long forgotten. */
  getListings(ids: readonly bigint[]): Promise<readonly (ListingForSale | null)[]>
  findListingByRawId(market: MarketId, rawId: string): Promise<ListingForSale | null>
  /** A market that has the item at this price, one that is up if there is any; null when none has. */
  findSeller(query: SellerQuery): Promise<Seller | null>
  /** Of each query the ids of at most `limit` listings that can be bought now, the cheapest first. */
  findFitting(queries: readonly FittingQuery[], limit: number): Promise<bigint[][]>
  /** What a listing's price is held against; null when it is not known. */
  referenceOf(market: MarketId, rawId: string): Promise<PriceReference | null>
  /** The cheapest listing of each item, the newest change first. At most a second old. */
  listCheapest(itemIds: readonly string[]): Promise<readonly Listing[]>
  /** The same, as it is now. */
  readCheapest(itemIds: readonly string[]): Promise<readonly Listing[]>
  /** What is asked from now on of an item's cheapest listing is as it is then. */
  forgetCheapest(itemId: string): void
  /** Changes of listings from now on, and a minute back. */
  followListings(listings: ListingsView): ListingsFollower
  /** For a process without that view. */
  followChanges(): ChangesFollower
  /** By rising date, at most a year. */
  listHistory(itemId: string): Promise<PriceDay[]>

  listMarkets(): Promise<MarketState[]>
  /** Switched on by the operator and answering, whatever our account there has. */
  isMarketAvailable(market: MarketId): Promise<boolean>
  /** Keeps what a health check answered; true when the market went on or off line by it. */
  markMarket(market: MarketId, health: Omit<Health, 'at'>): Promise<boolean>
  setMarketEnabled(market: MarketId, enabled: boolean): Promise<void>

  openIngest(market: MarketId): MarketIngest
  /** Rises with every change of an item; 0 before there is one. */
  itemsVersion(): Promise<bigint>
  /** An item list was taken over whole once. */
  hasItemList(): Promise<boolean>
  refreshItems(
    source: ItemSource,
    etag: string | null,
    how?: ImportRules,
  ): Promise<ItemsReport | null>
  /** What the source would change now. */
  planItems(source: ItemSource, how: ImportRules): Promise<ItemsPlan>
  /** Of a plan that is not refused. */
  importItems(plan: ItemsPlan, how: ImportRules): Promise<{ written: number; unlisted: number }>
  refreshPrices(
    lists: readonly PriceList[],
    signal: AbortSignal,
    how?: Pick<ImportRules, 'isAnyLevel'>,
  ): Promise<PricesReport>
  /** What became of the lists of items and prices. */
  listStates(): Promise<ListState[]>
  /** Items of which a name is all that is known. */
  countStubs(): Promise<number>
  /** Each does one bounded piece of work; true when there may be more. */
  countTaken(): Promise<boolean>
  countSales(): Promise<boolean>
  purgeGone(): Promise<boolean>
  /** Notes the prices of the hour when it is due. */
  observeDay(): Promise<boolean>
}

export function createCatalog({ db, clock }: { readonly db: Db; readonly clock: Clock }): Catalog {
  const findListing = batched((ids: readonly bigint[]) => findListings(db, ids))
  const findByRawId = batched((rawIds: readonly RawId[]) => findListingsByRawId(db, rawIds))
  const findReference = batched((rawIds: readonly RawId[]) => readReferences(db, rawIds))
  const cheapest = createCheapestReader({ db, clock })
  return {
    getListings: (ids) => Promise.all(ids.map(findListing)),
    findListingByRawId: (market, rawId) => findByRawId({ market, rawId }),
    findSeller: (query) => findSeller(db, query),
    findFitting: (queries, limit) => findFitting(db, queries, limit),
    referenceOf: (market, rawId) => findReference({ market, rawId }),
    listCheapest: cheapest.listCheapest,
    readCheapest: (itemIds) => listCheapest(db, itemIds),
    forgetCheapest: cheapest.forget,
    followListings: (listings) => followListings({ db, clock, listings }),
    followChanges: () => followChanges({ db, clock }),
    listHistory: (itemId) => listHistory(db, itemId),

    listMarkets: () => listMarkets(db),
    isMarketAvailable: async (market) => {
      const found = (await listMarkets(db)).find(({ id }) => id === market)
      return found?.enabled === true && found.online
    },
    markMarket: (market, health) => markMarket(db, market, { ...health, at: clock.now() }),
    setMarketEnabled: (market, enabled) =>
      db.transaction((tx) => setMarketEnabled(tx, { market, enabled, at: clock.now() })),

    openIngest: (market) => createMarketIngest({ db, clock, market }),
    itemsVersion: () => itemsVersion(db),
    hasItemList: () => hasGoodList(db, ITEMS),
    refreshItems: (source, etag, { pricesApart } = { pricesApart: false }) =>
      refreshItems({ db, clock, source, pricesApart }, etag),
    planItems: async (source, rules) => {
      const read = await readPlan({ db, source, ...rules }, null)
      if (read === null) throw new Error('the item list was not read')
      return read.plan
    },
    importItems: (plan, { pricesApart }) => writePlan({ db, clock, pricesApart }, plan),
    refreshPrices: (lists, signal, how) => refreshPrices({ db, clock, lists, ...how }, signal),
    listStates: () => listStates(db),
    countStubs: () => countStubs(db),
    countTaken: () => countTaken({ db, clock }),
    countSales: () => countSales({ db, clock }),
    purgeGone: () => purgeGone({ db, clock }),
    observeDay: () => observeDay({ db, clock }),
  }
}
