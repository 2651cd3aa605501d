// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Currency, Doppler, TradeStatus } from './shared.ts'

export interface BuyBody {
  items: readonly BuyItem[]
  /** Instead of the primary trade URL. */
  tradeUrl?: string | undefined
  /** A second buy with it answers the first trade again. */
  externalId?: string | undefined
}

/** Names its listing by exactly one of listingId and listingRawId. */
export type BuyItem =
  | {
      listingId: string
      /** Above this, fees included, the item is not bought. */
      maxPrice: string
      /** A reference for this item, distinct within the request. */
      externalId?: string | undefined
      listingRawId?: undefined
    }
  | {
      /** The supplier’s own listing id behind its market’s name. */
      listingRawId: string
      /** Above this, fees included, the item is not bought. */
      maxPrice: string
      /** A reference for this item, distinct within the request. */
      externalId?: string | undefined
      listingId?: undefined
    }

export interface BuyResponse {
  /** The trade. */
  id: string
  status: TradeStatus
  itemCount: number
  /** Taken from the wallet, in its currency. */
  totalPrice: number
  createdAt: string
}

export type DeliveryMode = 'standard' | 'instant'

export type DopplerPhase =
  | 'Phase 1'
  | 'Phase 2'
  | 'Phase 3'
  | 'Phase 4'
  | 'Ruby'
  | 'Sapphire'
  | 'Black Pearl'
  | 'Emerald'

export interface Fade {
  percentage: number
}

export interface Hardened {
  /** True for a case-hardened item. */
  status: boolean
  /** The tier of its pattern. */
  name: string
}

export type ItemCategory = 'Normal' | 'Souvenir' | 'StatTrak™'

export interface ItemPrice {
  /** The lowest price of all, fees included. */
  standard: number
  /** The lowest price with automatic delivery; null when there is none. */
  instant: number | null
}

export interface ListingCharm {
  name: string
  marketHashName?: string
  pattern?: number
  iconUrl: string
}

export type ListingSort = 'priceAsc' | 'priceDesc' | 'wearAsc' | 'wearDesc'

export interface ListingSticker {
  name: string
  marketHashName?: string
  slot: number
  /** 0 is fresh. */
  wear?: number
  iconUrl: string
}

export interface ListingsResponse {
  items: MarketListing[]
  /** Rows in the whole list. */
  total: number
  page: number
  limit: number
  totalPages: number
}

export interface LiveMarketResponse {
  items: MarketListing[]
  /** Rows in the whole list. */
  total: number
  page: number
  limit: number
  totalPages: number
}

export interface MarketListing {
  id: string
  assetId: string | null
  classId: string | null
  instanceId: string | null
  /** Fees included, in the currency of the caller’s wallet. */
  price: number
  referencePrice: number | null
  name: string
  marketHashName: string
  type: string
  iconUrl: string
  exterior?: string
  rarity?: string
  collection?: string
  color?: string
  /** The float value as text. */
  wear?: string | null
  paintSeed?: number | null
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  doppler?: Doppler
  fade?: Fade
  hardened?: Hardened
  stickers?: ListingSticker[]
  charm?: ListingCharm
  /** A bare inspect token in hex. */
  previewToken: string | null
  delivery?: DeliveryMode
}

export interface PreflightBalance {
  currency: Currency
  before: number
  /** The sum of the items that pass. */
  required: number
  /** Below zero: so much is missing. */
  after: number
  sufficient: boolean
}

export interface PreflightItem {
  listingId: string | null
  listingRawId: string | null
  externalId?: string
  marketHashName: string | null
  delivery: DeliveryMode | null
  /** The supplier’s price, in the wallet’s currency. */
  sourcing: number | null
  houseFee: number | null
  merchantFee: number | null
  /** What would be taken: sourcing and both fees. */
  price: number | null
  /** The limit of the request. */
  maxPrice: number
  passes: boolean
  /** The key with which a buy would be refused now; null when it passes. */
  refusal: string | null
}

export interface PreflightRecipient {
  /**
   * restricted: the platform holds trades to this account or has it on probation, so a supplier
   * may refuse it.
   */
  state: RecipientState
  tradeUrl: string | null
  platformId: string | null
  personaName: string | null
  /** Days that the platform would hold a trade to this account. */
  holdDays: number | null
  probation: boolean | null
  /** The key with which a buy would be refused now; null when it passes. */
  refusal: string | null
}

export interface PreflightResponse {
  /** A buy with this body would be accepted now. */
  passes: boolean
  /** Every key with which it would be refused, each once, in the order in which a buy checks. */
  refusals: string[]
  /**
   * The trade that already carries the externalId of the body. With the same body a buy returns it
   * again and takes nothing, so the preflight passes; with another body `refusals` has
   * IDEMPOTENCY_CONFLICT.
   */
  tradeId: string | null
  items: PreflightItem[]
  recipient: PreflightRecipient
  balance: PreflightBalance
}

export interface PriceHistoryDay {
  date: string
  /** Sales of the day. */
  volume: number
  lowest: number
  median: number
  highest: number
}

export interface PriceItem {
  id: string
  marketHashName: string
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  price?: ItemPrice
  listingsCount: number
  platformPrice?: number
}

export interface PricesResponse {
  items: PriceItem[]
  /** Rows in the whole list. */
  total: number
  page: number
  limit: number
  totalPages: number
}

export interface QuickBuyBody {
  itemId: string
  /** For one unit, fees included, in the wallet’s currency. */
  maxPrice: string
  /** Units wanted. */
  amount: number
  /** standard takes any listing, instant only automatic delivery. */
  delivery: DeliveryMode
  /**
   * Of Doppler-type items only. Each phase has an item id of its own: it must be that of the item,
   * or the item one without a phase.
   */
  phase?: DopplerPhase | undefined
  /** Instead of the primary trade URL. */
  tradeUrl?: string | undefined
  /** A second quick-buy with it answers the first trade again. */
  externalId?: string | undefined
  /**
   * A reference for each unit: exactly `amount`, all distinct. The cheapest unit gets the first;
   * with a partial fill the last ones go unused.
   */
  externalIds?: readonly string[] | undefined
}

export interface QuickBuyResponse {
  /** The trade. */
  id: string
  status: TradeStatus
  requestedCount: number
  /** Units bought: fewer when fewer are for sale. */
  itemCount: number
  /** Taken from the wallet, in its currency. */
  totalPrice: number
  createdAt: string
}

export type RecipientState = 'ready' | 'restricted' | 'refused'

export interface SearchResponse {
  items: SearchResultItem[]
  /** Rows in the whole list. */
  total: number
  page: number
  limit: number
  totalPages: number
}

export interface SearchResultItem {
  id: string
  name: string
  marketHashName: string
  itemType?: string
  iconUrl?: string
  weapon?: string
  /** The name of the exterior. */
  wear?: string
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  rarity?: string
  rarityColor?: string
  category?: ItemCategory
  collection?: string
  /** The least and the greatest wear that the item can have. */
  floatRange?: [number, number]
  price?: ItemPrice
  listingsCount?: number
  /** A reference price, without fees. */
  platformPrice?: number
}

export type SearchSort = 'relevance' | 'nameAsc' | 'nameDesc' | 'priceAsc' | 'priceDesc'

export interface SuggestionItem {
  id: string
  marketHashName: string
  iconUrl: string
  rarity?: string
  rarityColor?: string
  itemType?: string
}

/** The query of GET /market. */
export interface ListLiveMarketQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /market/search. */
export interface SearchMarketQuery {
  /**
   * Words in any order, by their beginnings, with one typing error; also what people call an item:
   * "ft", "st", "deagle", "knife", "p2".
   */
  q?: string | undefined
  sort?: SearchSort | undefined
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  minPrice?: string | undefined
  maxPrice?: string | undefined
  /** One value, or several separated by commas. */
  itemType?: string | readonly string[] | undefined
  /** One value, or several separated by commas. */
  weapon?: string | readonly string[] | undefined
  /** One value, or several separated by commas. */
  exterior?: string | readonly string[] | undefined
  /** One value, or several separated by commas. */
  rarity?: string | readonly string[] | undefined
  /** One or several, separated by commas: Normal, Souvenir, StatTrak™. */
  category?: ItemCategory | readonly ItemCategory[] | undefined
  /** One value, or several separated by commas. */
  collection?: string | readonly string[] | undefined
  /**
   * One or several, separated by commas: Phase 1, Phase 2, Phase 3, Phase 4, Ruby, Sapphire, Black
   * Pearl, Emerald.
   */
  phase?:
    | 'Phase 1'
    | 'Phase 2'
    | 'Phase 3'
    | 'Phase 4'
    | 'Ruby'
    | 'Sapphire'
    | 'Black Pearl'
    | 'Emerald'
    | readonly (
        | 'Phase 1'
        | 'Phase 2'
        | 'Phase 3'
        | 'Phase 4'
        | 'Ruby'
        | 'Sapphire'
        | 'Black Pearl'
        | 'Emerald'
      )[]
    | undefined
  /** Exactly this mode. */
  delivery?: DeliveryMode | undefined
  /** Only items with a live listing. */
  inStock?: boolean | undefined
}

/** The query of GET /market/search/suggestions. */
export interface SuggestItemsQuery {
  q: string
}

/** The query of GET /market/prices. */
export interface ListPricesQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** 1 to 100 rows, or -1 for the whole list in one answer. */
  limit?: number | undefined
}

/** The query of GET /market/items/{itemId}/listings. */
export interface ListItemListingsQuery {
  sort?: ListingSort | undefined
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  minPrice?: string | undefined
  maxPrice?: string | undefined
  minWear?: number | undefined
  maxWear?: number | undefined
  paintSeed?: number | undefined
  /**
   * One or several, separated by commas: Phase 1, Phase 2, Phase 3, Phase 4, Ruby, Sapphire, Black
   * Pearl, Emerald.
   */
  phase?:
    | 'Phase 1'
    | 'Phase 2'
    | 'Phase 3'
    | 'Phase 4'
    | 'Ruby'
    | 'Sapphire'
    | 'Black Pearl'
    | 'Emerald'
    | readonly (
        | 'Phase 1'
        | 'Phase 2'
        | 'Phase 3'
        | 'Phase 4'
        | 'Ruby'
        | 'Sapphire'
        | 'Black Pearl'
        | 'Emerald'
      )[]
    | undefined
  /** Exactly this mode. */
  delivery?: DeliveryMode | undefined
  hasStickers?: boolean | undefined
}
