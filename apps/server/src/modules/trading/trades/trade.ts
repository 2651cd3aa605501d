// A trade, its items, and the table of steps that an item may take. Everything here is pure.
import { type Cents, type Currency, cents, shareHalfUp } from '#kernel/money'

/**
 * In the order of the state machine: the least of an unfinished trade's items is the trade's status, and
 * when all have ended, the first of completed, reverted, declined, canceled, failed that any item has.
 */
export const STATUSES = [
  'initiated',
  'pending',
  'active',
  'hold',
  'completed',
  'reverted',
  'declined',
  'canceled',
  'failed',
] as const
export type Status = (typeof STATUSES)[number]

/** An item that cannot be placed for so long fails with MARKET_UNAVAILABLE. */
export const PLACING_LIMIT_MINUTES = 15

/** The steps that exist, with what each means. The database holds the same and refuses all others. */
export const TRANSITIONS = {
  buy: {
    initiated: {
      pending: 'the supplier accepted the order',
      failed:
        'the supplier refused, the listing is gone or dearer, or no placement within 15 minutes',
      canceled: 'canceled before a worker claimed it',
    },
    pending: {
      active: 'the seller confirmed, or an offer is known',
      failed: 'the supplier gave up, by the seller’s fault',
      canceled:
        'canceled by the user with the supplier’s consent, the platform or an administrator',
    },
    active: {
      hold: 'the buyer accepted the offer',
      declined: 'the buyer declined, countered, or let the offer expire',
      failed: 'the supplier gave up, by the seller’s fault',
      canceled: 'canceled by the platform or an administrator',
    },
    hold: {
      completed: 'the hold window is over and a fresh read of the delivery is clean',
      reverted: 'the supplier took the item back, or the user reversed the delivery',
    },
    completed: {},
    reverted: {},
    declined: {},
    canceled: {},
    failed: {},
  },
  sell: {
    initiated: {
      pending: 'a bot has it among what it is about to ask for',
      failed: 'no bot could take it within 15 minutes',
      canceled: 'canceled before a bot had it',
    },
    pending: {
      active: 'the offer is out',
      failed: 'the platform refused the offer, the asset is gone, or the offer was never sent',
      canceled: 'canceled while certainly no offer was out',
    },
    active: {
      hold: 'the user accepted, and the bot received exactly what was asked for',
      declined: 'the user declined, countered, or let the offer expire',
      failed: 'the assets are gone, or the platform would hold them back',
      canceled: 'canceled by the platform or an administrator',
    },
    hold: {
      completed: 'the hold window is over and a fresh read of the exchange is clean',
      reverted: 'the user reversed the exchange',
    },
    completed: {},
    reverted: {},
    declined: {},
    canceled: {},
    failed: {},
  },
} as const satisfies Record<Trade['type'], Record<Status, Partial<Record<Status, string>>>>

/** Buys and sells end in the same states. */
export const isTerminal = (status: Status): boolean =>
  Object.keys(TRANSITIONS.buy[status]).length === 0

/** Why an item failed or was declined. */
export type FailureCode =
  | 'LISTING_UNAVAILABLE'
  | 'NO_LISTING_AT_PRICE'
  | 'PRICE_CHANGED'
  | 'TRADE_URL_INVALID'
  | 'STEAM_ACCOUNT_RESTRICTED'
  | 'BUYER_TRADE_RESTRICTED'
  | 'OFFER_NOT_ACCEPTED'
  | 'MARKET_UNAVAILABLE'
  | 'PURCHASE_FAILED'

/** What a declining buyer loses: 2% of the item's whole price, half up to a cent. */
const DECLINE_PENALTY_BPS = 200
export const declinePenalty = (price: Cents): Cents => shareHalfUp(price, DECLINE_PENALTY_BPS)

export interface Trade {
  readonly id: string
  readonly type: 'buy' | 'sell'
  /** The merchant or partner that the account belongs to. */
  readonly tenantId: string
  readonly accountId: string
  readonly platformId: string
  readonly tradeUrl: string
  readonly externalId: string | null
  readonly status: Status
  readonly game: string
  readonly currency: Currency
  readonly total: Cents
  /** Of the market order that it fills. */
  readonly marketOrderId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly items: readonly TradeItem[]
}

export interface TradeItem {
  readonly id: string
  readonly externalId: string | null
  readonly catalogItemId: string
  readonly description: ItemDescription
  /** With both fees in it; of a sold item what was quoted. */
  readonly price: Cents
  readonly houseFee: Cents
  /** What the merchant or partner earns when it completes. */
  readonly merchantFee: Cents
  readonly status: Status
  readonly offerId: string | null
  readonly failure: FailureCode | null
  readonly failureDetail: string | null
  readonly revertedBy: 'supplier' | 'user' | null
  readonly refund: ItemRefund | null
  readonly holdEndsAt: Date | null
  readonly settledAt: Date | null
}

/** `refunded + penalty` is the item's price, always. */
export interface ItemRefund {
  readonly refunded: Cents
  readonly penalty: Cents
  readonly buyerFault: boolean
}

/** What a trade remembers of a listing, so that it reads the same when the listing is long gone. */
export interface ItemDescription {
  readonly name: string
  readonly marketHashName: string
  readonly type: string | null
  readonly iconUrl: string | null
  readonly exterior: string | null
  readonly rarity: string | null
  readonly color: string | null
  readonly phase: string | null
  readonly wear: string | null
  readonly paintSeed: number | null
  readonly stickers: readonly {
    readonly name: string
    readonly slot: number
    readonly wear: number | null
    readonly iconUrl: string
  }[]
  readonly charm: {
    readonly name: string
    readonly pattern: number | null
    readonly iconUrl: string
  } | null
  /** Null of what the user delivers. */
  readonly delivery: 'standard' | 'instant' | null
}

/** What the buyer loses when an item ends in `step`. */
export function penaltyOf(
  step: { readonly to: Status; readonly revertedBy: 'supplier' | 'user' | null },
  price: Cents,
): Cents {
  if (step.to === 'declined') return declinePenalty(price)
  if (step.to === 'reverted' && step.revertedBy === 'user') return price
  return cents(0n)
}
