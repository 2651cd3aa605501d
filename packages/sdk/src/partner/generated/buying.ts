// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { ListingItemV2, Market, PlacedOrder } from './shared.ts'

export interface BuyBody {
  /** The id of the listing. */
  itemId: string
  /** The listing’s base price of now, without fees: any other is PRICE_MISMATCH. */
  price: number
  /** The market that offers it. */
  market: Market
  /** Where the item is delivered. Required for API keys. */
  tradeUrl?: string | undefined
}

export interface BuyResponse {
  /** The order. */
  order: PlacedOrder
  /** The item. */
  item: ListingItemV2
}
