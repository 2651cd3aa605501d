// A market order: so many of an item, each at no more than a price, whenever it is for sale.
import type { Cents, Currency } from '#kernel/money'

/** The states, with what each means and where it may lead. */
export const MARKET_ORDER_STATES = {
  open: {
    means: 'listings are bought for it',
    to: ['paused', 'filled', 'cancelled', 'expired'],
  },
  paused: {
    means: 'nothing is bought until the cause is gone; `pausedReason` says which it is',
    to: ['open', 'filled', 'cancelled', 'expired'],
  },
  filled: { means: 'its quantity was bought: each fill is in its hold or completed', to: [] },
  cancelled: { means: 'canceled; fills under way run on', to: [] },
  expired: { means: '`expiresAt` has passed; fills under way run on', to: [] },
} as const satisfies Record<string, { readonly means: string; readonly to: readonly string[] }>
export type MarketOrderStatus = keyof typeof MARKET_ORDER_STATES

export const PAUSED_REASONS = {
  INSUFFICIENT_BALANCE: 'until the wallet covers the fill that was refused',
  ACCOUNT_SUSPENDED: 'until the account and its merchant are active',
  TRADEURL_INVALID_TOKEN:
    'until the order is changed, or, where it names no trade URL, the account has another primary one',
  SPENDING_LIMIT_REACHED: 'until the limits cover the fill that was refused',
  SERVICE_DISABLED: 'until trading goes on',
} as const
export type PausedReason = keyof typeof PAUSED_REASONS

/** As given, each only where it was. */
export interface MarketOrderFilters {
  readonly delivery?: 'standard' | 'instant'
  readonly minWear?: number
  readonly maxWear?: number
  readonly paintSeeds?: readonly number[]
  readonly phase?: string
}

export interface MarketOrder {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  /** Which made it; null: a person did. */
  readonly keyId: string | null
  /** The merchant's reference of a sub-user; null of the merchant itself. */
  readonly userExternalId: string | null
  readonly externalId: string
  readonly itemId: string
  readonly marketHashName: string
  readonly filters: MarketOrderFilters
  readonly tradeUrl: string | null
  readonly currency: Currency
  /** Of one unit, fees included. */
  readonly maxPrice: Cents
  readonly quantity: number
  /** Fills under way. */
  readonly pending: number
  /** Fills in their hold or completed. */
  readonly filled: number
  readonly status: MarketOrderStatus
  readonly pausedReason: PausedReason | null
  /** Of all fills, also of those that failed, oldest first. */
  readonly tradeIds: readonly string[]
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What matching must know of an order. */
export interface OpenOrder {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  /** Null: made by a person. */
  readonly keyId: string | null
  readonly itemId: string
  readonly currency: Currency
  readonly maxPrice: Cents
  /** Units that are neither bought nor under way. */
  readonly wanted: number
  readonly instantOnly: boolean
  readonly minWear: number | null
  readonly maxWear: number | null
  readonly paintSeeds: readonly number[] | null
  /** Null: the primary one of the moment. */
  readonly tradeUrl: string | null
  readonly platformId: string | null
  /** Listings that were bought for it before, whatever became of that. */
  readonly tried: readonly string[]
}

const DAY_MS = 24 * 3_600_000
export const DEFAULT_LIFE_MS = 30 * DAY_MS
export const LONGEST_LIFE_MS = 90 * DAY_MS
