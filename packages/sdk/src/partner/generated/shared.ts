// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export type Delivery = 'normal' | 'auto'

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

export interface ListingFailure {
  /** The listing that was named. */
  id: string
  /** Why there is no listing. */
  error: 'ITEM_NOT_FOUND' | 'LISTING_NOT_FOUND'
}

export interface ListingItemV2 {
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
  market: Market
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

export type Market = 'market_a' | 'market_b'

export interface Order {
  /** The serviceOrderId of the buy. */
  id: string
  /** The market hash name. */
  item: string
  /** The catalogue’s id of the item. */
  itemId: string
  /** What was paid, fees included. */
  amount: number
  /** The currency of the amounts. */
  currency: 'USD'
  /** The current status. */
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
  /** The order. */
  order: Order
}

export interface OrderRefund {
  /** Returned to the wallet, in USD. */
  amount: number
  /** Withheld for a fault of the buyer, in USD. */
  penalty: number
}

export interface OrderRefundEventData {
  /** The order. */
  order: Order
  /** What was returned. */
  refund: OrderRefund
}

export interface OrderStatus {
  /** The status. */
  code: OrderStatusCode
  /** The status in natural casing. */
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
  /** The id of the order here. */
  serviceOrderId: string
  /** The current status. */
  status: OrderStatusCode
  /** What happened, for people. */
  message?: string
}

export interface SearchItem {
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** What kind of object this is. */
  type: string | null
  /** The hash of the picture at the platform. */
  iconUrl: string | null
  /** The lowest price of all listings, without fees, in USD. */
  price: number
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
}

export type SearchSort = 'abc' | 'priceAsc' | 'popularity' | 'priceDesc'

export interface Suggestion {
  /** The id of this object. */
  id: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The hash of the picture at the platform. */
  iconUrl: string
  /** The rarity. */
  rarity: string
  /** Of the rarity: six hex digits. */
  color: string
}
