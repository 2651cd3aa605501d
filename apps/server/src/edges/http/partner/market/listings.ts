// Listings of an item, the curated live market, and single listings as they are now, in both generations.
import {
  type ListingDetailBody,
  type ListingFailure,
  type ListingItemV2,
  partnerRoutes,
} from '@tradepost/contract'
import type { Catalog, CatalogueView, Delivery, ListingsView } from '#catalog'
import { assertDefined } from '#kernel/assert'
import { refuse } from '#kernel/refusal'
import type { PriceTag } from '#pricing'
import {
  asV1,
  isFailure,
  listingViewV2,
  marketOfV1,
  type PartnerItemTexts,
} from '#wire/partner/market'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import type { PartnerCaller } from '../../shared/principal.ts'
import { pricedAccount } from '../caller.ts'
import { DONE, marketRead, operation, type PartnerOperations } from '../operation.ts'
import { getEntry, platformPriceOf } from './items.ts'

export interface ListingsDeps {
  readonly catalog: Catalog
  readonly view: CatalogueView
  readonly listings: Pick<ListingsView, 'listOfItem'>
  readonly priceTags: PriceTags<PartnerItemTexts>
}

const PAGE_SIZE = 25

/** The live market shows the cheapest listing of each of so many items. */
const LIVE_ITEMS = 200

const NO_TERMS = {
  ...{ minMills: null, maxMills: null, minWear: null, maxWear: null, paintSeeds: null },
  ...{ stickers: [], markets: null },
} as const

type ListingsOperations = Pick<
  PartnerOperations,
  | 'listListings'
  | 'listLiveListings'
  | 'getListingDetails'
  | 'listListingsV1'
  | 'listLiveListingsV1'
  | 'getListingDetailV1'
>

export function createListingsOperations(deps: ListingsDeps): ListingsOperations {
  const tagOf = async (caller: PartnerCaller): Promise<PriceTag> =>
    (await deps.priceTags(pricedAccount(caller))).tag
  return {
    listListings: marketRead(partnerRoutes.listListings, async ({ caller, query }) => {
      const delivery = query.delivery === undefined ? null : DELIVERIES[query.delivery]
      return listOf(deps, await tagOf(caller), { ...query, delivery })
    }),

    listListingsV1: marketRead(partnerRoutes.listListingsV1, async ({ caller, query }) => {
      const tag = await tagOf(caller)
      const delivery = query.delivery === undefined ? null : 'instant'
      const { listings, totalSellCount } = await listOf(deps, tag, { ...query, delivery })
      const platformPrice = platformPriceOf(getEntry(deps.view, query.item), tag)
      return { listings: listings.map(asV1), platformPrice, totalSellCount, message: DONE }
    }),

    listLiveListings: marketRead(partnerRoutes.listLiveListings, async ({ caller }) => {
      const listings = await liveListings(deps, await tagOf(caller))
      return { listings, listingsCount: listings.length }
    }),

    listLiveListingsV1: marketRead(partnerRoutes.listLiveListingsV1, async ({ caller }) => {
      const listings = (await liveListings(deps, await tagOf(caller))).map(asV1)
      return { listings, listingsCount: listings.length, message: DONE }
    }),

    getListingDetails: operation(partnerRoutes.getListingDetails, async ({ caller, body }) => ({
      items: await detailsOf(deps, await tagOf(caller), body.items),
    })),

    getListingDetailV1: operation(partnerRoutes.getListingDetailV1, async ({ caller, query }) => {
      const market = marketOfV1(query.market) ?? refuse('MARKET_UNAVAILABLE')
      const wanted = [{ item: query.item, listing: query.listing, market }]
      const items = await detailsOf(deps, await tagOf(caller), wanted)
      return { items: items.map((each) => (isFailure(each) ? each : asV1(each))), message: DONE }
    }),
  }
}

const DELIVERIES = { normal: 'standard', auto: 'instant' } as const

interface ListQuestion {
  readonly item: string
  readonly page: number
  readonly delivery: Delivery | null
}

async function listOf(
  { listings, view }: ListingsDeps,
  tag: PriceTag,
  { item, page, delivery }: ListQuestion,
): Promise<{ listings: ListingItemV2[]; totalSellCount: number }> {
  const { rows, total } = await listings.listOfItem({
    itemId: getEntry(view, item).item.id,
    terms: { ...NO_TERMS, delivery },
    hasStickers: null,
    order: 'priceAsc',
    upMarkets: view.upMarkets,
    offset: (page - 1) * PAGE_SIZE,
    limit: PAGE_SIZE,
  })
  return { listings: rows.map((row) => listingViewV2(row, tag)), totalSellCount: total }
}

/** The most traded item first. */
async function liveListings(
  { catalog, view }: ListingsDeps,
  tag: PriceTag,
): Promise<ListingItemV2[]> {
  const itemIds = view.mostTraded(LIVE_ITEMS).map(({ item }) => item.id)
  const rank = new Map(itemIds.map((id, i) => [id, i]))
  const rankOf = ({ itemId }: { itemId: string }): number =>
    assertDefined(rank.get(itemId), 'rank of a most traded item')
  return [...(await catalog.listCheapest(itemIds))]
    .sort((left, right) => rankOf(left) - rankOf(right))
    .map((listing) => listingViewV2(listing, tag))
}

/** Read from the database, past every cache; an entry that cannot be bought is an error of its own. */
async function detailsOf(
  { catalog, view }: ListingsDeps,
  tag: PriceTag,
  wanted: ListingDetailBody['items'],
): Promise<(ListingItemV2 | ListingFailure)[]> {
  const listings = await catalog.getListings(wanted.map(({ listing }) => BigInt(listing)))
  return wanted.map(({ item, listing: id, market }, i) => {
    if (view.find(item) === null) return { id, error: 'ITEM_NOT_FOUND' }
    const listing = listings[i]
    const isThere = listing?.available === true && listing.marketAvailable
    return isThere && listing.itemId === item && listing.market === market
      ? listingViewV2(listing, tag)
      : { id, error: 'LISTING_NOT_FOUND' }
  })
}
