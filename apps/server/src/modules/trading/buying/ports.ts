// What buying needs from outside the service: an upstream market where it can buy for a user. An adapter
// translates one supplier's protocol into these types and knows nothing of trades.

import type { SendGuard } from '#infra/jobs/send-guard'
import type { MarketId } from '#kernel/market-id'
import type { Mills } from '#kernel/money'
import type { FailureCode } from '#trades'

export type { FailureCode, MarketId }

export interface MarketTraits {
  /**
   * What a repeated purchase under one custom id does: `reject-duplicate` is refused, `lookup-only` may
   * buy twice. Neither is ever repeated after an unknown answer.
   */
  readonly repeats: 'reject-duplicate' | 'lookup-only'
  /** After an unknown answer: an order that look-ups have not shown for this long does not exist. */
  readonly lookUpSettleMs: number
  /** ... and this many look-ups in a row must not have found it, while the market was well. */
  readonly absentLookUps: number
  /** Orders in one look-up. */
  readonly lookUpBatch: number
  /** How soon an order that still moves is looked at again. */
  readonly pollMs: number
  /**
   * The same while its offer is still to come. Shorter than `pollMs` for a market that shows an offer only
   * until the buyer has answered it.
   */
  readonly offerPollMs: number
  /**
   * How many orders its pace takes in a minute from one account, their look-ups beside them; null where it
   * sets no limit.
   */
  readonly ordersPerMinute: number | null
  /** The age at which the market cancels an order; null where it knows no such call. */
  readonly cancelAfterMs: number | null
}

export interface Purchase {
  /** Our own order id, committed before the call; at most 50 characters. */
  readonly customId: string
  /** The supplier's listing id. */
  readonly rawListingId: string
  readonly marketHashName: string
  /** The supplier refuses above this. */
  readonly ceilingMills: Mills
  /** 32-bit account id of the recipient's trade URL. */
  readonly partner: number
  readonly token: string
}

/**
 * Why a call was not made: by our own pace, because the market asked us to wait, because we leave it alone
 * after faults, because our account there cannot be used, because another worker has the work, or because too
 * little of the lease or of the turn was left.
 */
export type Withheld = 'pace' | 'asked_to_wait' | 'breaker' | 'account' | 'taken_over' | 'late'

/** Leave for one purchase to go out at the pace that the market allows. Good for a second. */
export interface PurchaseTurn {
  isFresh(): boolean
  /** The call has ended: others wait until then. */
  end(): void
  /** No call was made: what was kept from others is free. Nothing happens after `end`. */
  giveBack(): void
}

export type TurnsAnswer =
  | { readonly kind: 'turns'; readonly turns: readonly PurchaseTurn[] }
  /** Asked again sooner than `retryAfterMs`, the answer is the same. */
  | {
      readonly kind: 'not-sent'
      readonly detail: string
      readonly retryAfterMs: number
      readonly withheld?: Withheld
      /** Why our account may not buy there, where that is the reason. */
      readonly account?: 'forbidden' | 'currency'
    }

export type PurchaseAnswer =
  | { readonly kind: 'accepted'; readonly orderId: string; readonly paidMills: Mills | null }
  /** Certain: nothing was bought and nothing will be. */
  | {
      readonly kind: 'refused'
      readonly code: FailureCode
      readonly detail: string
      readonly alarm?: boolean
      /** What it says of our account there. */
      readonly account?: 'no_funds' | 'forbidden'
    }
  /** It may have been bought. Only a look-up shows it; the call is never repeated. */
  | { readonly kind: 'unknown'; readonly detail: string }
  /**
   * Certain: the call never reached the market. The same id may be sent later. `withheld` where there was no
   * call; otherwise there was no connection.
   */
  | {
      readonly kind: 'not-sent'
      readonly detail: string
      readonly retryAfterMs: number
      readonly withheld?: Withheld
      /** Why our account may not buy there, where that is the reason. */
      readonly account?: 'forbidden' | 'currency'
    }

/** What we know of an order before we ask; suppliers forget earlier stages when an order ends. */
export interface OrderQuery {
  readonly customId: string
  readonly orderId: string | null
  readonly offerSeen: boolean
  readonly acceptanceSeen: boolean
  /** Of the request that made the order, where it is known: a batch has one context for orders of many. */
  readonly requestId?: string
}

export interface OrderUpdate {
  readonly orderId: string
  readonly state:
    | 'pending'
    | 'active'
    | 'hold'
    | 'completed'
    | 'failed'
    | 'declined'
    | 'canceled'
    | 'reverted'
    /** Taken back after acceptance; the market names the user, in words that no document explains. */
    | 'contested'
  readonly paidMills: Mills | null
  /** The platform's offer that carries the item. */
  readonly offerId: string | null
  /** Set with failed and declined. */
  readonly failure: FailureCode | null
  /** Set with reverted. */
  readonly revertedBy: 'supplier' | 'user' | null
  /** The supplier's own words, for debugging only; of a contested delivery its whole row. */
  readonly detail: string | null
  /** Fault was unclear: an operator should look. */
  readonly review: boolean
}

/**
 * `absent`: the market says that it has no such order. An order that is not in the map at all could not
 * be read this time: nothing was learned of it, which must never count as absence.
 */
export type LookUpAnswer =
  | { readonly kind: 'read'; readonly orders: ReadonlyMap<string, OrderUpdate | 'absent'> }
  | {
      readonly kind: 'unavailable'
      readonly detail: string
      readonly retryAfterMs: number
      /** Set where there was no call. */
      readonly withheld?: Withheld
    }

/** The order to cancel: suppliers know it by our id or by theirs. */
export interface CancelRequest {
  readonly customId: string
  readonly orderId: string
  /** How long the call may wait for its turn. */
  readonly patienceMs: number
}

export type CancelAnswer =
  /** Certain: nothing will be delivered, and the money comes back. */
  | { readonly kind: 'canceled' }
  /** Certain: the order goes on. */
  | {
      readonly kind: 'refused'
      readonly because: 'too-soon' | 'offer-out' | 'other'
      readonly detail: string
    }
  /** It may have been canceled. Only a look-up shows it. */
  | { readonly kind: 'unknown'; readonly detail: string }
  | { readonly kind: 'not-sent'; readonly detail: string; readonly withheld?: Withheld }

/** One of our accounts at a market. */
export interface AccountRef {
  readonly market: MarketId
  /** Unique at its market. */
  readonly account: string
}

/**
 * Reaches the supplier with one account of ours; every call has a deadline of its own and never throws for an
 * answer.
 */
export interface Market {
  readonly id: MarketId
  readonly account: string
  /** Which of the account's keys it calls with: one more with each rotation. */
  readonly keyVersion: number
  readonly traits: MarketTraits
  /**
   * Waits for a turn within the market's pace, which all processes share; where there is no limit, `most`
   * turns are given at once. Each is used for one purchase or given back.
   */
  takeTurns(most: number, context: CallContext): Promise<TurnsAnswer>
  place(purchase: Purchase, context: PlacingContext): Promise<PurchaseAnswer>
  /** At most `traits.lookUpBatch` queries. */
  lookUp(queries: readonly OrderQuery[], context: CallContext): Promise<LookUpAnswer>
  /** Asked only of a market with an age in `traits.cancelAfterMs`. Said twice it is the same. */
  cancel(request: CancelRequest, context: GuardedContext): Promise<CancelAnswer>
  /** What our account may spend, of one that is kept in dollars. */
  balance(
    context: CallContext,
  ): Promise<{ readonly mills: Mills } | { readonly unavailable: string }>
}

/** Carried from the request that caused a call to the log line of the call. */
export interface CallContext {
  readonly requestId: string
  /** For what only reads: gives it up early, because the process stops. */
  readonly signal?: AbortSignal
}

/** For a call that moves money: the adapter begins its guard when it has its turn, and passes it on. */
export interface GuardedContext extends CallContext {
  readonly guard: SendGuard
}

/** The adapter ends the turn when the call has ended. */
export interface PlacingContext extends GuardedContext {
  readonly turn: PurchaseTurn
}
