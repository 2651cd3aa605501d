// GET /market, /market/items/{itemId}/listings, /market/items/{itemId}/history, /market/listings/{listingId}
import { type ListingsQuery, merchantRoutes } from '@tradepost/contract'
import type { Catalog, CatalogueView, Listing, ListingsView, ListingTerms } from '#catalog'
import { parseAmount } from '#kernel/money'
import { pageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import type { PriceTag } from '#pricing'
import { historyDayView, type ItemTexts, listingView } from '#wire/merchant/market'
import { termsFor } from '../../shared/market/listing-filter.ts'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { type MerchantOperations, operation } from '../operation.ts'
import { getEntry } from './search.ts'

export interface ListingsDeps {
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly listings: Pick<ListingsView, 'listOfItem'>
  readonly priceTags: PriceTags<ItemTexts>
  /** Called with each whole answer of GET /market. */
  readonly onLiveMarket?: ((listings: readonly Listing[]) => void) | undefined
}

/** The curated market shows the cheapest listing of each of so many items. */
export const CURATED_ITEMS = 200

export const createListingsOperations = ({
  catalog,
  view,
  listings,
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
    const cheapest = await catalog.listCheapest(itemIds)
    onLiveMarket?.(cheapest)
    const from = (page - 1) * limit
    const items = cheapest.slice(from, from + limit).map((listing) => listingView(listing, tag))
    return mutable(pageOf(items, { total: cheapest.length, page, limit }))
  }),

  listItemListings: operation(
    merchantRoutes.listItemListings,
    async ({ caller, params, query }) => {
      const { tag } = await priceTags(caller.account)
      const { item } = getEntry(view, params.itemId)
      const { page, limit, sort, phase, hasStickers = null } = query
      // An item has one phase, or none.
      const isOfPhase = phase === undefined || phase.split(',').includes(item.phase ?? '')
      const { rows, total } = await listings.listOfItem({
        itemId: item.id,
        ...{ terms: termsOf(query, tag), hasStickers, order: sort },
        upMarkets: isOfPhase ? view.upMarkets : [],
        offset: (page - 1) * limit,
        limit,
      })
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

const termsOf = (query: ListingsQuery, tag: PriceTag): ListingTerms =>
  termsFor(
    {
      terms: {
        ...{ minWear: query.minWear ?? null, maxWear: query.maxWear ?? null },
        paintSeeds: query.paintSeed === undefined ? null : [query.paintSeed],
        ...{ stickers: [], markets: null, delivery: query.delivery ?? null },
      },
      minPrice: query.minPrice === undefined ? null : parseAmount(query.minPrice),
      maxPrice: query.maxPrice === undefined ? null : parseAmount(query.maxPrice),
    },
    tag,
  )

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
