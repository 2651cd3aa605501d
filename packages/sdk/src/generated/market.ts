// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  CryptoEvmChain,
  Currency,
  DeliveryMode,
  Doppler,
  DopplerPhase,
  TradeStatus,
} from './shared.ts'

export interface BuyBody {
  /** The rows of this page, or the parts of this object. */
  items: readonly BuyItem[]
  /** Instead of the primary trade URL. */
  tradeUrl?: string | undefined
  /** A second buy with it answers the first trade again. */
  externalId?: string | undefined
}

/** Names its listing by exactly one of listingId and listingRawId. */
export type BuyItem =
  | {
      /** The id of a listing, as searches and listings show it. */
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
  /** The current status. */
  status: TradeStatus
  /** Items that were taken. */
  itemCount: number
  /** Taken from the wallet, in its currency. */
  totalPrice: number
  /** When it was created. */
  createdAt: string
}

export type ComponentStatus = 'operational' | 'degraded' | 'down' | 'disabled'

export interface DepositState {
  /** How money comes in. There is one row of `crypto` for each chain. */
  method: 'gateway' | 'onramp' | 'crypto'
  /** Null for gateway and on-ramp. */
  chain: CryptoEvmChain | null
  /** The current status. */
  status: ComponentStatus
  /** Since when it has this status. */
  since: string
}

export interface Fade {
  /** In percent. */
  percentage: number
}

export interface FoundListing {
  /** The id of this object. */
  id: string
  /** The platform’s id of the thing; null when the market does not show it. */
  assetId: string | null
  /** The platform’s class of the thing. */
  classId: string | null
  /** The platform’s instance of the thing. */
  instanceId: string | null
  /** Fees included, in the currency of the caller’s wallet. */
  price: number
  /** What the item costs elsewhere, for comparison; null when it is not known. */
  referencePrice: number | null
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The type as the platform writes it. */
  type: string
  /** The hash of the picture at the platform. */
  iconUrl: string
  /** The name of the wear, such as Field-Tested. */
  exterior?: string
  /** The rarity. */
  rarity?: string
  /** The collection that the item is from. */
  collection?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  color?: string
  /** The float value as text. */
  wear?: string | null
  /** The number that places the pattern. */
  paintSeed?: number | null
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  /** The phase of a Doppler finish. */
  doppler?: Doppler
  /** How far a Fade finish fades. */
  fade?: Fade
  /** The tier of a Case Hardened pattern. */
  hardened?: Hardened
  /** Stickers on the item. */
  stickers?: ListingSticker[]
  /** The charm on the item. */
  charm?: ListingCharm
  /** A bare inspect token in hex. */
  previewToken: string | null
  /** How the seller delivers. */
  delivery?: DeliveryMode
  /** The catalogue’s id of the item. */
  itemId: string
}

export interface Hardened {
  /** True for a case-hardened item. */
  status: boolean
  /** The tier of its pattern. */
  name: string
}

export type ItemCategory = 'Normal' | 'Souvenir' | 'StatTrak™'

export interface ItemLookupBody {
  /** Each by its id or by its name. */
  items: readonly ItemReference[]
}

export interface ItemLookupResponse {
  /** One entry for each requested item, in order; null if there is no such item. */
  items: (SearchResultItem | null)[]
}

export interface ItemPrice {
  /** The lowest price of all, fees included. */
  standard: number
  /** The lowest price with automatic delivery; null when there is none. */
  instant: number | null
}

export interface ItemReference {
  /** The id of this object. */
  id?: string | undefined
  /** The exact name. Without `phase` it finds no item that has a phase. */
  marketHashName?: string | undefined
  /** With a name only, for an item that has a phase. */
  phase?: DopplerPhase | undefined
}

/** The latest sale through the service; null when none is known. */
export interface LastSale {
  /** What the account would have paid, with its fees and the rate of now. */
  price: number
  /** When it settled. */
  at: string
}

export interface ListingCharm {
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName?: string
  /** The number that places the pattern of the charm. */
  pattern?: number
  /** The hash of the picture at the platform. */
  iconUrl: string
}

export type ListingSort = 'priceAsc' | 'priceDesc' | 'wearAsc' | 'wearDesc'

export interface ListingSticker {
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName?: string
  /** Where the sticker is, from 0. */
  slot: number
  /** 0 is fresh. */
  wear?: number
  /** The hash of the picture at the platform. */
  iconUrl: string
}

export interface ListingsResponse {
  /** The rows of this page, or the parts of this object. */
  items: MarketListing[]
  /** Rows in the whole list. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** How many pages there are. */
  totalPages: number
}

export interface LiveMarketResponse {
  /** The rows of this page, or the parts of this object. */
  items: MarketListing[]
  /** Rows in the whole list. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** How many pages there are. */
  totalPages: number
}

export interface MarketListing {
  /** The id of this object. */
  id: string
  /** The platform’s id of the thing; null when the market does not show it. */
  assetId: string | null
  /** The platform’s class of the thing. */
  classId: string | null
  /** The platform’s instance of the thing. */
  instanceId: string | null
  /** Fees included, in the currency of the caller’s wallet. */
  price: number
  /** What the item costs elsewhere, for comparison; null when it is not known. */
  referencePrice: number | null
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The type as the platform writes it. */
  type: string
  /** The hash of the picture at the platform. */
  iconUrl: string
  /** The name of the wear, such as Field-Tested. */
  exterior?: string
  /** The rarity. */
  rarity?: string
  /** The collection that the item is from. */
  collection?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  color?: string
  /** The float value as text. */
  wear?: string | null
  /** The number that places the pattern. */
  paintSeed?: number | null
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  /** The phase of a Doppler finish. */
  doppler?: Doppler
  /** How far a Fade finish fades. */
  fade?: Fade
  /** The tier of a Case Hardened pattern. */
  hardened?: Hardened
  /** Stickers on the item. */
  stickers?: ListingSticker[]
  /** The charm on the item. */
  charm?: ListingCharm
  /** A bare inspect token in hex. */
  previewToken: string | null
  /** How the seller delivers. */
  delivery?: DeliveryMode
}

export type MarketListingSort = 'priceAsc' | 'priceDesc' | 'wearAsc' | 'wearDesc' | 'newest'

export interface MarketListingsResponse {
  /** The rows of this page, or the parts of this object. */
  items: FoundListing[]
  /**
   * The `cursor` of the next slice; null on the last one. A slice may be shorter than `limit`
   * before that.
   */
  nextCursor: string | null
}

export interface MarketState {
  /** The name of the market. */
  market: string
  /** The current status. */
  status: ComponentStatus
  /** Since when it has this status. */
  since: string
  /** Live listings that are known of it. */
  listings: number
  /** When its listings were last read as a whole; null before the first time. */
  readAt: string | null
  /**
   * For how long an item that is bought now is expected to wait until its order is placed,
   * measured; null while the market is not operational.
   */
  expectedPlacementSeconds: number | null
}

export interface PayoutState {
  /** The chain. */
  chain: CryptoEvmChain
  /** The current status. */
  status: ComponentStatus
  /** Since when it has this status. */
  since: string
}

export interface PlatformState {
  /** The current status. */
  status: ComponentStatus
  /** Since when it has this status. */
  since: string
}

export interface PreflightBalance {
  /** The currency of the amounts. */
  currency: Currency
  /** What the wallet has before the buy. */
  before: number
  /** The sum of the items that pass. */
  required: number
  /** Below zero: so much is missing. */
  after: number
  /** Whether the wallet covers the buy. */
  sufficient: boolean
}

export interface PreflightItem {
  /** The id of a listing, as searches and listings show it. */
  listingId: string | null
  /** The supplier’s own id of a listing, with its market: `market_b:123`. */
  listingRawId: string | null
  /** Your own reference. */
  externalId?: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string | null
  /** How the seller delivers. */
  delivery: DeliveryMode | null
  /** The supplier’s price, in the wallet’s currency. */
  sourcing: number | null
  /** The service’s fee. */
  houseFee: number | null
  /** Your fee. */
  merchantFee: number | null
  /** What would be taken: sourcing and both fees. */
  price: number | null
  /** The limit of the request. */
  maxPrice: number
  /** Whether it would be accepted. */
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
  /** The trade URL that it is delivered to. */
  tradeUrl: string | null
  /** The 64-bit id of the platform account. */
  platformId: string | null
  /** The name of the platform account. */
  personaName: string | null
  /** Days that the platform would hold a trade to this account. */
  holdDays: number | null
  /** Whether the account was linked lately. */
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
  /** The rows of this page, or the parts of this object. */
  items: PreflightItem[]
  /** Who would receive it. */
  recipient: PreflightRecipient
  /** What the wallet has. */
  balance: PreflightBalance
}

export interface PriceHistoryDay {
  /** The day, in UTC. */
  date: string
  /** Sales of the day. */
  volume: number
  /** The lowest price of the day. */
  lowest: number
  /** The median price of the day. */
  median: number
  /** The highest price of the day. */
  highest: number
}

export interface PriceItem {
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  /** The price, with your fees. */
  price?: ItemPrice
  /** Live listings of the item. */
  listingsCount: number
  /** What the item costs on the platform, for comparison. */
  platformPrice?: number
  /** Sales through the service on this UTC day and the six before. */
  volume7d: number
  /** The latest sale through the service; null when none is known. */
  lastSale: LastSale | null
}

export interface PricesResponse {
  /** The rows of this page, or the parts of this object. */
  items: PriceItem[]
  /** Rows in the whole list. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** How many pages there are. */
  totalPages: number
  /**
   * The state of the list, the same for every caller. With `since` and `limit=-1` you get only
   * what has changed after it.
   */
  version: string
  /** With `since`: items that are no longer in the list. */
  removed?: string[]
  /**
   * True when `items` is the whole list; absent, and never false, when it is a page or the
   * changes.
   */
  full?: boolean
}

export interface QuickBuyBody {
  /** The catalogue’s id of the item. */
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
  /** The current status. */
  status: TradeStatus
  /** Items that were asked for. */
  requestedCount: number
  /** Units bought: fewer when fewer are for sale. */
  itemCount: number
  /** Taken from the wallet, in its currency. */
  totalPrice: number
  /** When it was created. */
  createdAt: string
}

export type RecipientState = 'ready' | 'restricted' | 'refused'

export interface SearchResponse {
  /** The rows of this page, or the parts of this object. */
  items: SearchResultItem[]
  /** Rows in the whole list. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** How many pages there are. */
  totalPages: number
}

export interface SearchResultItem {
  /** The id of this object. */
  id: string
  /** The name, for people. */
  name: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The kind of item. */
  itemType?: string
  /** The hash of the picture at the platform. */
  iconUrl?: string
  /** The weapon that the item is a finish of. */
  weapon?: string
  /** The name of the exterior. */
  wear?: string
  /** Of a Doppler: each phase is an item of its own. */
  phase?: string
  /** The rarity. */
  rarity?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  rarityColor?: string
  /** Normal, Souvenir or StatTrak™. */
  category?: ItemCategory
  /** The collection that the item is from. */
  collection?: string
  /** The least and the greatest wear that the item can have. */
  floatRange?: [number, number]
  /** The price, with your fees. */
  price?: ItemPrice
  /** Live listings of the item. */
  listingsCount?: number
  /** A reference price, without fees. */
  platformPrice?: number
}

export type SearchSort = 'relevance' | 'nameAsc' | 'nameDesc' | 'priceAsc' | 'priceDesc'

export interface ServiceStatus {
  /** Whether buys, sells and withdrawals are taken. */
  trading: TradingState
  /** Each market, by name. */
  markets: MarketState[]
  /** The game platform. */
  platform: PlatformState
  /** Each way in which money comes in. */
  deposits: DepositState[]
  /** Withdrawals, by chain. */
  payouts: PayoutState[]
  /** Addresses and CIDR blocks that webhooks come from; empty when the operator has named none. */
  webhookAddresses: string[]
}

export interface SuggestionItem {
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The hash of the picture at the platform. */
  iconUrl: string
  /** The rarity. */
  rarity?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  rarityColor?: string
  /** The kind of item. */
  itemType?: string
}

export interface TradingState {
  /** The current status. */
  status: TradingStatus
  /** Why trading is paused; null while it is operational. */
  reason: string | null
  /** Since when it has this status. */
  since: string
}

export type TradingStatus = 'operational' | 'paused'

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
  /**
   * The `version` of an earlier response, with `limit=-1`: only what has changed since. A version
   * that is unknown here, or after which thousands of items changed, is answered with the whole
   * list and `full: true`.
   */
  since?: string | undefined
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

/** The query of GET /market/listings. */
export interface ListMarketListingsQuery {
  /** Items, at most 500, separated by commas. One that is unknown has no listing. */
  itemId?: string | readonly string[] | undefined
  /**
   * Words in any order, by their beginnings, with one typing error; also what people call an item:
   * "ft", "st", "deagle", "knife", "p2".
   */
  q?: string | undefined
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
  minPrice?: string | undefined
  maxPrice?: string | undefined
  minWear?: number | undefined
  maxWear?: number | undefined
  /** One of these, at most 50, separated by commas. */
  paintSeed?: number | readonly number[] | undefined
  /**
   * Names of stickers, at most 10: all of them are on the listing. Separated by commas, or the
   * parameter once for each, as a name with a comma requires.
   */
  stickers?: string | readonly string[] | undefined
  /** One value, or several separated by commas. */
  market?: string | readonly string[] | undefined
  /** Exactly this mode. */
  delivery?: DeliveryMode | undefined
  /** As the search for items has it. Every listing is in stock, so it filters nothing. */
  inStock?: boolean | undefined
  /** `newest` first are those that the service saw last for the first time. */
  sort?: MarketListingSort | undefined
  /** The previous answer’s nextCursor, with the same `sort`. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
