// A trade, its items, and the one table of steps that an item may take. Everything here is pure.
import { type Cents, type Currency, cents, type Mills, shareHalfUp } from '#kernel/money'
import type { FailureCode, MarketId, OrderNews } from './ports.ts'

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

/** The steps that exist, with what each does. The database holds the same pairs and refuses all others. */
export const TRANSITIONS = {
  initiated: {
    pending: 'the supplier accepted the order',
    failed:
      'the supplier refused, the listing is gone or dearer, or no placement within 15 minutes',
    canceled: 'canceled before a worker claimed it',
  },
  pending: {
    active: 'the seller confirmed, or an offer is known',
    failed: 'the supplier gave up, by the seller’s fault',
    canceled: 'canceled by the user with the supplier’s consent, the platform or an administrator',
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
} as const satisfies Record<Status, Partial<Record<Status, string>>>

export const isTerminal = (status: Status): boolean => Object.keys(TRANSITIONS[status]).length === 0

/** What a declining buyer loses: 2% of the item's whole price, half up to a cent. */
const DECLINE_PENALTY_BPS = 200
export const declinePenalty = (price: Cents): Cents => shareHalfUp(price, DECLINE_PENALTY_BPS)

export interface Trade {
  readonly id: string
  readonly type: 'buy' | 'sell'
  readonly merchantId: string
  readonly accountId: string
  readonly platformId: string
  readonly tradeUrl: string
  readonly externalId: string | null
  readonly status: Status
  readonly game: string
  readonly currency: Currency
  readonly total: Cents
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly items: readonly TradeItem[]
}

export interface TradeItem {
  readonly id: string
  readonly externalId: string | null
  readonly description: ItemDescription
  readonly price: Cents
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

/** A step that an item is about to take. */
export interface Step {
  readonly from: Status
  readonly to: Status
  readonly offerId: string | null
  readonly failure: FailureCode | null
  readonly detail: string | null
  readonly revertedBy: 'supplier' | 'user' | null
  readonly penalty: Cents
}

/** An item as the workers see it. */
export interface WorkItem {
  readonly id: string
  readonly tradeId: string
  readonly requestId: string
  readonly market: MarketId
  readonly rawListingId: string
  readonly marketHashName: string
  readonly tradeUrl: string
  readonly sourcingMills: Mills
  readonly price: Cents
  readonly status: Status
  readonly createdAt: Date
  readonly holdEndsAt: Date | null
}

const PATH: readonly Status[] = ['initiated', 'pending', 'active', 'hold']

/**
 * The steps that a supplier's news means for an item, in order: observations that were missed are caught
 * up one by one, and an item never goes back. `completed` here still waits for our own hold window.
 */
export function stepsFor(item: Pick<WorkItem, 'status' | 'price'>, news: OrderNews): Step[] {
  if (isTerminal(item.status)) return []
  const target = targetOf(item.status, news)
  const steps: Step[] = []
  let at = item.status
  const take = (to: Status, facts: Partial<Step> = {}): void => {
    steps.push({ ...PLAIN, offerId: news.offerId, ...facts, from: at, to })
    at = to
  }
  for (const status of PATH.slice(PATH.indexOf(at) + 1, PATH.indexOf(target.through) + 1))
    take(status)
  if (target.end) take(target.end.to, target.end)
  return steps
}

const PLAIN = {
  offerId: null,
  failure: null,
  detail: null,
  revertedBy: null,
  penalty: cents(0n),
} as const

interface Target {
  readonly through: Status
  readonly end?: Partial<Step> & { readonly to: Status }
}

function targetOf(status: Status, news: OrderNews): Target {
  const detail = news.detail
  // A supplier that ends an order which was delivered has taken the item back, whatever it calls that.
  if (status === 'hold' && ['failed', 'declined', 'canceled'].includes(news.state)) {
    return { through: 'hold', end: { to: 'reverted', revertedBy: 'supplier' } }
  }
  switch (news.state) {
    case 'pending':
      return { through: 'pending' }
    case 'active':
      return { through: 'active' }
    case 'hold':
    case 'completed':
      return { through: 'hold' }
    case 'reverted':
      return { through: 'hold', end: { to: 'reverted', revertedBy: news.revertedBy ?? 'supplier' } }
    case 'failed':
      return {
        through: status,
        end: { to: 'failed', failure: news.failure ?? 'PURCHASE_FAILED', detail },
      }
    case 'canceled':
      return { through: status, end: { to: 'canceled', detail: null } }
    case 'declined':
      return { through: 'active', end: { to: 'declined', failure: 'OFFER_NOT_ACCEPTED', detail } }
  }
}

/** What the buyer loses when an item ends in `step`. */
export function penaltyOf(step: Pick<Step, 'to' | 'revertedBy'>, price: Cents): Cents {
  if (step.to === 'declined') return declinePenalty(price)
  if (step.to === 'reverted' && step.revertedBy === 'user') return price
  return cents(0n)
}
