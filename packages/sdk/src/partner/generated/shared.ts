// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export type Delivery = 'normal' | 'auto'

export interface ListingCharm {
  name: string
  marketHashName?: string
  pattern?: number
  iconUrl: string
}

export interface ListingFailure {
  /** The listing that was named. */
  id: string
  error: 'ITEM_NOT_FOUND' | 'LISTING_NOT_FOUND'
}

export interface ListingItemV2 {
  itemId: string
  id: string
  marketHashName: string
  type: string
  iconUrl: string
  /** What the market asks, without fees, in USD: what a buy has to name. */
  price: number
  /** What the caller pays, in USD. */
  priceWithFee: number
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  delivery: Delivery
  market: Market
  exterior: string | null
  /** The float value. */
  wear: number | null
  paintSeed: number | null
  rarity: string
  collection: string | null
  /** Of the rarity: six hex digits. */
  color: string | null
  stickers: ListingSticker[]
  charm: ListingCharm | null
}

export interface ListingSticker {
  name: string
  marketHashName?: string
  slot: number
  /** 0 is fresh. */
  wear?: number
  iconUrl: string
}

export type Market = 'market_a' | 'market_b'

export interface Order {
  /** The serviceOrderId of the buy. */
  id: string
  /** The market hash name. */
  item: string
  itemId: string
  /** What was paid, fees included. */
  amount: number
  currency: 'USD'
  status: OrderStatus
  /** When it was accepted. */
  timestamp: string
  /** 0 none, 1 buyer fault, 2 seller or market, 3 user cancel, 4 platform. */
  cancelType: number
  /** Why it failed or was taken back; null for an order that did not. */
  cancelReason: string | null
  /** When it settled; before that, when its hold ends; null before the hold. */
  settlementTime: string | null
  /** Who took a delivered item back: 0 none, 1 user, 2 supplier. */
  protectedCauser: number
}

export interface OrderEventData {
  order: Order
}

export interface OrderRefund {
  /** Returned to the wallet, in USD. */
  amount: number
  /** Withheld for a fault of the buyer, in USD. */
  penalty: number
}

export interface OrderRefundEventData {
  order: Order
  refund: OrderRefund
}

export interface OrderStatus {
  code: OrderStatusCode
  label: string
}

export type OrderStatusCode =
  | 'INITIATED'
  | 'PENDING'
  | 'ACTIVE'
  | 'HOLD'
  | 'COMPLETED'
  | 'FAILED'
  | 'REVERTED'

export interface PlacedOrder {
  /** The supplier’s id, once it is known. */
  orderId?: string
  serviceOrderId: string
  status: OrderStatusCode
  message?: string
}

export interface SearchItem {
  id: string
  marketHashName: string
  type: string | null
  iconUrl: string | null
  /** The lowest price of all listings, without fees, in USD. */
  price: number
  /** A reference price, without fees, in USD. */
  platformPrice: number | null
  exterior: string | null
  rarity: string | null
  collection: string | null
  /** Of the rarity: six hex digits. */
  color: string | null
  weapon: string | null
  /** Live listings. */
  sellingTotal: number
  /** A rank score: higher is more traded. */
  popularity: number
}

export type SearchSort = 'abc' | 'priceAsc' | 'popularity' | 'priceDesc'

export interface Suggestion {
  id: string
  marketHashName: string
  iconUrl: string
  rarity: string
  /** Of the rarity: six hex digits. */
  color: string
}
