import type {
  BuyBody,
  ItemLookupBody,
  ListItemListingsQuery,
  ListLiveMarketQuery,
  ListMarketListingsQuery,
  ListPricesQuery,
  QuickBuyBody,
  SearchMarketQuery,
} from '../generated/market.ts'
import type { CallOptions } from '../options.ts'
import { byCursor, numbered } from '../pages.ts'
import type { Call } from '../transport.ts'

/** Search and purchase, with the prices of the account. */
export const marketOf = (call: Call) => ({
  /** The cheapest live listing of each of the most traded items, the newest change first. */
  live: (query: ListLiveMarketQuery = {}, options?: CallOptions) =>
    numbered(
      query,
      (page) => call('listLiveMarket', { query: { ...query, ...page } }, options),
      ({ items }) => items,
    ),

  /** Items of the catalogue; filters combine. */
  search: (query: SearchMarketQuery = {}, options?: CallOptions) =>
    numbered(
      query,
      (page) => call('searchMarket', { query: { ...query, ...page } }, options),
      ({ items }) => items,
    ),

  /** Suggestions for an incomplete query. */
  suggest: (text: string, options?: CallOptions) =>
    call('suggestItems', { query: { q: text } }, options),

  /** Prices of the catalogue, page by page. */
  prices: (query: ListPricesQuery = {}, options?: CallOptions) =>
    numbered(
      query,
      (page) => call('listPrices', { query: { ...query, ...page } }, options),
      ({ items }) => items,
    ),

  /** Prices of the whole catalogue in one answer, which is large and costs 5 tokens. */
  allPrices: async (options?: CallOptions) =>
    (await call('listPrices', { query: { limit: -1 } }, options)).items,

  /**
   * What has changed of the prices since the `version` of an earlier response, with the ids of items that are
   * `removed`. With null, or a version that the service does not know, everything, and `full` is true. Costs
   * 5 tokens.
   */
  pricesSince: (version: string | null, options?: CallOptions) =>
    call('listPrices', { query: { limit: -1, since: version ?? undefined } }, options),

  /** One item, as search shows it. */
  item: (itemId: string, options?: CallOptions) => call('getItem', { params: { itemId } }, options),

  /** Which parts of the service work, since when, and where webhooks come from. Free. */
  status: (options?: CallOptions) => call('getServiceStatus', {}, options),

  /** Up to 500 items by id or exact name, as search shows them, in order; null for what there is not. */
  lookUp: async (items: ItemLookupBody['items'], options?: CallOptions) =>
    (await call('lookUpItems', { body: { items } }, options)).items,

  /** What is for sale of an item, the cheapest first unless `sort` says otherwise. */
  listings: (itemId: string, query: ListItemListingsQuery = {}, options?: CallOptions) =>
    numbered(
      query,
      (page) =>
        call('listItemListings', { params: { itemId }, query: { ...query, ...page } }, options),
      ({ items }) => items,
    ),

  /**
   * Listings over all items that fit every filter, the cheapest first unless `sort` says otherwise. A slice
   * costs 5 tokens.
   */
  findListings: (query: ListMarketListingsQuery = {}, options?: CallOptions) =>
    byCursor(
      query,
      (slice) => call('listMarketListings', { query: { ...query, ...slice } }, options),
      ({ items }) => items,
    ),

  /** What an item was sold for, day by day. */
  history: (itemId: string, options?: CallOptions) =>
    call('getItemHistory', { params: { itemId } }, options),

  /** One live listing. */
  listing: (listingId: string, options?: CallOptions) =>
    call('getListing', { params: { listingId } }, options),

  /**
   * Buys listings. With an `externalId` the call is idempotent and is retried after a lost response; without
   * one it is sent once.
   */
  buy: (body: BuyBody, options?: CallOptions) => call('buy', { body }, options),

  /**
   * Buys a number of units of an item, the cheapest first. Idempotent with an `externalId`, like a buy.
   */
  quickBuy: (body: QuickBuyBody, options?: CallOptions) => call('quickBuy', { body }, options),

  /** What a buy with this body would cost, and what would refuse it. Nothing is reserved. */
  preflight: (body: BuyBody, options?: CallOptions) => call('preflightBuy', { body }, options),
})

export type Market = ReturnType<typeof marketOf>
