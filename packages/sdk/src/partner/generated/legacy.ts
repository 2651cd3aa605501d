// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { ItemCategory } from './catalogue.ts'
import type {
  Delivery,
  ListingCharm,
  ListingFailure,
  ListingSticker,
  PlacedOrder,
  SearchItem,
  SearchSort,
  Suggestion,
} from './shared.ts'

export interface LegacyBuyBody {
  /** The id of the listing. */
  itemId: string
  /** The listing’s base price of now, without fees: any other is PRICE_MISMATCH. */
  price: number
  /** Paid from the balance. */
  method: 'balance'
  /** The market that offers it. */
  market: LegacyMarket
  /** Where the item is delivered. Required for API keys. */
  tradeURL?: string | undefined
}

export interface LegacyBuyResponse {
  /** The order. */
  order: PlacedOrder
  /** The item. */
  item: ListingItemV1
  /** For people, and free to change. */
  message: string
}

export interface LegacyListingDetailResponse {
  /** In the order of the request. */
  items: (ListingItemV1 | ListingFailure)[]
  /** For people, and free to change. */
  message: string
}

export interface LegacyListingsResponse {
  /** Live listings. */
  listings: ListingItemV1[]
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  /** Live listings of the item that match. */
  totalSellCount: number
  /** For people, and free to change. */
  message: string
}

export interface LegacyLiveListingsResponse {
  /** Live listings. */
  listings: ListingItemV1[]
  /** Listings in this answer. */
  listingsCount: number
  /** For people, and free to change. */
  message: string
}

export type LegacyMarket = 'market_a_short' | 'market_b' | 'eco'

export interface LegacySearchResponse {
  /** The rows of this page, or the parts of this object. */
  items: SearchItem[]
  /** All items that match, not only those shown. */
  itemsCount: number
  /** For people, and free to change. */
  message: string
}

export interface LegacySuggestionsResponse {
  /** The rows of this page, or the parts of this object. */
  items: Suggestion[]
  /** For people, and free to change. */
  message: string
}

export interface ListingItemV1 {
  /** The catalogue’s id of the item. */
  itemId: string
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** What kind of object this is. */
  type: string
  /** The hash of the picture at the platform. */
  iconUrl: string
  /** What the market asks, without fees, in USD: what a buy has to name. */
  price: number
  /** What the caller pays, in USD. */
  priceWithFee: number
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  /** How the seller delivers. */
  delivery: Delivery
  /** The market that offers it. */
  market: LegacyMarket
  /** The name of the wear, such as Field-Tested. */
  exterior: string | null
  /** The float value. */
  wear: number | null
  /** The number that places the pattern. */
  paintSeed: number | null
  /** The rarity. */
  rarity: string
  /** The collection that the item is from. */
  collection: string | null
  /** Of the rarity: six hex digits. */
  color: string | null
  /** Stickers on the item. */
  stickers: ListingSticker[]
  /** The charm on the item. */
  charm: ListingCharm | null
}

/** The query of GET /v1/market/search. */
export interface SearchV1Query {
  /**
   * Words in any order, by their beginnings, with one typing error; also what people call an item:
   * "ft", "st", "deagle", "knife", "p2".
   */
  q?: string | undefined
  /** The first item, counted from 1. */
  start?: number | undefined
  /**
   * The last item, included; at most start + 99. Left out, it is 100, and that most where start is
   * beyond it.
   */
  end?: number | undefined
  /** Of the base price, in USD. */
  minPrice?: string | undefined
  /** Of the base price, in USD. */
  maxPrice?: string | undefined
  /** One value, or several separated by commas. */
  rarity?: string | readonly string[] | undefined
  /** Who can use the item. */
  team?: 'CT' | 'T' | 'any' | undefined
  /** Names of exteriors, separated by commas. */
  wear?: string | readonly string[] | undefined
  /** One or several, separated by commas: Normal, Souvenir, StatTrak™. */
  category?: ItemCategory | readonly ItemCategory[] | undefined
  /** Values of any facet of the catalogue, separated by commas; all must fit. */
  tags?: string | readonly string[] | undefined
  /** One value, or several separated by commas. */
  weapon?: string | readonly string[] | undefined
  sort?: SearchSort | undefined
  paint_index?: number | undefined
  /** One value, or several separated by commas. */
  item_type?: string | readonly string[] | undefined
}

/** The query of GET /v1/market/search/suggestions. */
export interface SuggestV1Query {
  q: string
}

/** The query of GET /v1/market/listings. */
export interface ListListingsV1Query {
  item: string
  /** Counted from 1, 25 listings each. A page beyond the end is empty. */
  page?: number | undefined
  /** 2: only automatic delivery. */
  delivery?: 2 | undefined
}

/** The query of GET /v1/partner/listing-detail. */
export interface GetListingDetailV1Query {
  item: string
  listing: string
  market: LegacyMarket
}
