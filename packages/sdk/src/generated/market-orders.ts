// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { DeliveryMode, DopplerPhase, MarketOrder, MarketOrderStatus } from './shared.ts'

export interface MarketOrderBody {
  /** A second request with it answers the first order again. */
  externalId: string
  /** The catalogue’s id of the item. */
  itemId: string
  /** For one unit, fees included, in the wallet’s currency. */
  maxPrice: string
  /** Units wanted. */
  quantity: number
  /** standard takes any listing, instant only automatic delivery. */
  delivery?: DeliveryMode | undefined
  /** A listing whose wear is unknown does not fit. */
  minWear?: number | undefined
  /** A listing whose wear is unknown does not fit. */
  maxWear?: number | undefined
  /** One of these; a listing whose seed is unknown does not fit. */
  paintSeeds?: readonly number[] | undefined
  /**
   * Of Doppler-type items only. Each phase has an item id of its own: it must be that of the item,
   * or the item one without a phase.
   */
  phase?: DopplerPhase | undefined
  /** Instead of the primary trade URL. */
  tradeUrl?: string | undefined
  /** At most 90 days from now; 30 days from now when it is not given. */
  expiresAt?: string | undefined
}

export interface MarketOrderChangeBody {
  /** For one unit, fees included, in the wallet’s currency. */
  maxPrice?: string | undefined
  /** Units wanted; not below those that are bought or under way. */
  quantity?: number | undefined
  /** At most 90 days from now. */
  expiresAt?: string | undefined
}

export interface MarketOrderList {
  /** The rows of this page, or the parts of this object. */
  items: MarketOrder[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

/** The query of GET /market/orders. */
export interface ListMarketOrdersQuery {
  status?: MarketOrderStatus | undefined
  itemId?: string | undefined
  externalId?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
