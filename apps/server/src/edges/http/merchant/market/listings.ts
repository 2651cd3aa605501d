// GET /market, /market/items/{itemId}/listings, /market/items/{itemId}/history, /market/listings/{listingId}
import { type ListingsQuery, merchantRoutes } from '@tradepost/contract'
import type { Catalog, CatalogueView, Entry, Listing, ListingQuery } from '#catalog'
import { parseAmount } from '#kernel/money'
import { pageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import { boundsInMills, type PriceTag } from '#pricing'
import { historyDayView, type ItemTexts, listingView } from '#wire/merchant/market'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { type MerchantOperations, operation } from '../operation.ts'
import { getEntry } from './search.ts'

export interface ListingsDeps {
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly priceTags: PriceTags<ItemTexts>
  /** Called with each whole answer of GET /market. */
  readonly onLiveMarket?: ((listings: readonly Listing[]) => void) | undefined
}

/** The curated market shows the cheapest listing of each of so many items. */
export const CURATED_ITEMS = 200

export const createListingsOperations = ({
  catalog,
  view,
  priceTags,
  onLiveMarket,
}: ListingsDeps): Pick<
  MerchantOperations,
  'listLiveMarket' | 'listItemListings' | 'getItemHistory' | 'getListing'
> => ({
  listLiveMarket: operation(merchantRoutes.listLiveMarket, async ({ caller, query }) => {
    const { tag } = await priceTags(caller.account)
    const { page, limit } = query
    const itemIds = view.mostTraded(CURATED_ITEMS).map(({ item }) => item.id)
    const listings = await catalog.listCheapest(itemIds)
    onLiveMarket?.(listings)
    const from = (page - 1) * limit
    const items = listings.slice(from, from + limit).map((listing) => listingView(listing, tag))
    return mutable(pageOf(items, { total: listings.length, page, limit }))
  }),

  listItemListings: operation(
    merchantRoutes.listItemListings,
    async ({ caller, params, query }) => {
      const { tag } = await priceTags(caller.account)
      const entry = getEntry(view, params.itemId)
      const { page, limit } = query
      const question = listingQueryOf(entry, query, tag)
      const { rows, total } =
        question === null ? { rows: [], total: 0 } : await catalog.listListings(question)
      const items = rows.map((listing) => listingView(listing, tag))
      return mutable(pageOf(items, { total, page, limit }))
    },
  ),

  getItemHistory: operation(merchantRoutes.getItemHistory, async ({ caller, params }) => {
    const { tag } = await priceTags(caller.account)
    const { item } = getEntry(view, params.itemId)
    return (await catalog.listHistory(item.id)).map((day) => historyDayView(day, tag))
  }),

  getListing: operation(merchantRoutes.getListing, async ({ caller, params }) => {
    const { tag } = await priceTags(caller.account)
    const { listingId } = params
    const [listing] = await catalog.getListings([BigInt(listingId)])
    if (!listing?.available) return refuse('LISTING_NOT_FOUND', { listingId })
    // As a buy of it would be refused: it is known, and will be back when its market is.
    if (!listing.marketAvailable) return refuse('MARKET_UNAVAILABLE', { listingId })
    return listingView(listing, tag)
  }),
})

/** Null when the filters exclude each other: an item has one phase, or none. */
function listingQueryOf({ item }: Entry, query: ListingsQuery, tag: PriceTag): ListingQuery | null {
  if (query.phase !== undefined && !query.phase.split(',').includes(item.phase ?? '')) return null
  const bounds = boundsInMills(tag, {
    minPrice: query.minPrice === undefined ? null : parseAmount(query.minPrice),
    maxPrice: query.maxPrice === undefined ? null : parseAmount(query.maxPrice),
  })
  return {
    itemId: item.id,
    ...bounds,
    minWear: query.minWear ?? null,
    maxWear: query.maxWear ?? null,
    paintSeed: query.paintSeed ?? null,
    delivery: query.delivery ?? null,
    hasStickers: query.hasStickers ?? null,
    sort: query.sort,
    offset: (query.page - 1) * query.limit,
    limit: query.limit,
  }
}

/** The contract types lists as mutable arrays; no caller changes this one. */
const mutable = <T>(
  page: { readonly items: readonly T[] } & Counted,
): { items: T[] } & Counted => ({
  ...page,
  items: page.items as T[],
})

interface Counted {
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly totalPages: number
}
