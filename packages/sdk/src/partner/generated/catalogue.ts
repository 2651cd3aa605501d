// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  Delivery,
  ListingFailure,
  ListingItemV2,
  Market,
  SearchItem,
  SearchSort,
  Suggestion,
} from './shared.ts'

export interface Item {
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** What kind of object this is. */
  type: string | null
  /** The hash of the picture at the platform. */
  iconUrl: string | null
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  /** The name of the wear, such as Field-Tested. */
  exterior: string | null
  /** The rarity. */
  rarity: string | null
  /** The collection that the item is from. */
  collection: string | null
  /** Of the rarity: six hex digits. */
  color: string | null
  /** The weapon that the item is a finish of. */
  weapon: string | null
  /** Live listings. */
  sellingTotal: number
  /** A rank score: higher is more traded. */
  popularity: number
  /** The lowest price, without fees, in USD; null when nothing is for sale. */
  price: number | null
  /** The same as the caller pays it. */
  priceWithFee: number | null
}

export type ItemCategory = 'Normal' | 'Souvenir' | 'StatTrak™'

export interface ItemMapResponse {
  /** By market hash name. Of the phases of one name the cheapest is shown; search shows each. */
  items: Record<string, ItemOfMap>
  /** Items that match. */
  itemsCount: number
  /** For people, and free to change. */
  message: string
}

export interface ItemOfMap {
  /** The catalogue’s id of the item. */
  itemId: string
  /** The lowest price, without fees, in USD. */
  price: number | null
  /** The same as the caller pays it. */
  priceWithFee: number | null
  /** Live listings. */
  stock: number
  /** Some listing is delivered automatically. */
  fastDelivery: boolean
}

export interface ItemOverviewResponse {
  /** The item. */
  item: Item
  /** The same item in each wear and category. */
  variants: ItemVariant[]
  /** Any variant is for sale. */
  inStock: boolean
  /** For people, and free to change. */
  message: string
}

export interface ItemResponse {
  /** The item. */
  item: Item
  /** For people, and free to change. */
  message: string
}

export interface ItemVariant {
  /** The catalogue’s id of the item. */
  itemId: string
  /** The name of the wear, such as Field-Tested. */
  exterior: string | null
  /** Normal, Souvenir or StatTrak™. */
  category: ItemCategory
  /** The lowest price, without fees, in USD. */
  price: number | null
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  /** Live listings. */
  stock: number
}

export interface ListingDetailBody {
  /** The rows of this page, or the parts of this object. */
  items: readonly ListingReference[]
}

export interface ListingDetailResponse {
  /** In the order of the request. */
  items: (ListingItemV2 | ListingFailure)[]
}

export interface ListingReference {
  /** The catalogue’s id of the item. */
  item: string
  /** The id of the listing. */
  listing: string
  /** The market that offers it. */
  market: Market
}

export interface ListingsResponse {
  /** Live listings. */
  listings: ListingItemV2[]
  /** Live listings of the item that match. */
  totalSellCount: number
}

export interface LiveListingsResponse {
  /** Live listings. */
  listings: ListingItemV2[]
  /** Listings in this answer. */
  listingsCount: number
}

export interface SearchResponse {
  /** The rows of this page, or the parts of this object. */
  items: SearchItem[]
  /** All items that match, not only those shown. */
  itemsCount: number
}

export interface SuggestionsResponse {
  /** The rows of this page, or the parts of this object. */
  items: Suggestion[]
}

/** The query of GET /v2/market/search. */
export interface SearchQuery {
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
  paintIndex?: number | undefined
  /** One value, or several separated by commas. */
  itemType?: string | readonly string[] | undefined
}

/** The query of GET /v2/market/search/suggestions. */
export interface SuggestQuery {
  q: string
}

/** The query of GET /v2/market/listings. */
export interface ListListingsQuery {
  item: string
  /** Counted from 1, 25 listings each. A page beyond the end is empty. */
  page?: number | undefined
  /** Exactly this kind. */
  delivery?: Delivery | undefined
}

/** The query of GET /v1/market/items. */
export interface ListItemsQuery {
  /** Only items, prices and stock of automatic delivery. */
  fastDeliveryOnly?: boolean | undefined
}
