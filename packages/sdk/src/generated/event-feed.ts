// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  Deposit,
  EventRefund,
  MarketOrder,
  ServiceStatusValue,
  Settlement,
  Trade,
  Withdrawal,
} from './shared.ts'

export type EventType =
  | 'trade.initiated'
  | 'trade.pending'
  | 'trade.active'
  | 'trade.hold'
  | 'trade.completed'
  | 'trade.failed'
  | 'trade.canceled'
  | 'trade.declined'
  | 'trade.reverted'
  | 'trade.settled'
  | 'trade.refunded'
  | 'market_order.filled'
  | 'market_order.paused'
  | 'market_order.closed'
  | 'deposit.initiated'
  | 'deposit.pending'
  | 'deposit.completed'
  | 'deposit.partial'
  | 'deposit.expired'
  | 'deposit.failed'
  | 'deposit.refunded'
  | 'deposit.cancelled'
  | 'payout.crypto.deposit.completed'
  | 'payout.crypto.withdraw.approval'
  | 'payout.crypto.withdraw.broadcast'
  | 'payout.crypto.withdraw.confirmed'
  | 'payout.crypto.withdraw.refunded'
  | 'service.status_changed'

export interface MerchantEvent {
  /** The `webhook-id` of its deliveries. */
  id: string
  /** What kind of object this is. */
  type: EventType
  /** When it was created. */
  createdAt: string
  /** The answer. */
  data: MerchantEventData
}

/**
 * What a webhook of the same type carries: the trade, with a settlement in trade.completed and
 * trade.settled and a refund in trade.refunded; the deposit; the withdrawal; or what has changed
 * of the service.
 */
export interface MerchantEventData {
  /** The trade as it is now. */
  trade?: Trade
  /** The fees that were posted. */
  settlement?: Settlement
  /** What was returned. */
  refund?: EventRefund
  /** The order. */
  order?: MarketOrder
  /** The deposit as it is now. */
  deposit?: Deposit
  /** Your reference of that sub-user. */
  forUserExternalId?: string | null
  /** The withdrawal as it is now. */
  withdrawal?: Withdrawal
  /**
   * Of the transaction that pays it. It stays while its fees are raised; under another nonce it
   * would be another event.
   */
  nonce?: number
  /** Which part of the service has another status. */
  component?: 'trading' | 'market' | 'platform' | 'deposit' | 'payout'
  /**
   * The market, or the chain of a deposit or payout; null where there is none, as of gateway and
   * on-ramp.
   */
  name?: string | null
  /** What it has now; `paused` of trading alone. */
  status?: ServiceStatusValue
  /** What it had before. */
  previous?: ServiceStatusValue
  /** Since when it has the status. */
  since?: string
  /** Why trading is paused; absent in every other change. */
  reason?: string
}

export interface MerchantEventsResponse {
  /** The rows of this page, or the parts of this object. */
  items: MerchantEvent[]
  /**
   * Where to go on: as `cursor`, or with `after` as the next `after`. Null when a list without
   * `after` is at its end, and with `after=start` while there is no event at all.
   */
  nextCursor: string | null
}

/** The query of GET /merchant/events. */
export interface ListMerchantEventsQuery {
  /** Events before this one, newest first. Not together with `after`. */
  cursor?: string | undefined
  /**
   * Events after this one, oldest first; `start` for those after none. For following. After one
   * that is no longer kept: from the oldest that is.
   */
  after?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  /**
   * One or several, separated by commas: trade.initiated, trade.pending, trade.active, trade.hold,
   * trade.completed, trade.failed, trade.canceled, trade.declined, trade.reverted, trade.settled,
   * trade.refunded, market_order.filled, market_order.paused, market_order.closed,
   * deposit.initiated, deposit.pending, deposit.completed, deposit.partial, deposit.expired,
   * deposit.failed, deposit.refunded, deposit.cancelled, payout.crypto.deposit.completed,
   * payout.crypto.withdraw.approval, payout.crypto.withdraw.broadcast,
   * payout.crypto.withdraw.confirmed, payout.crypto.withdraw.refunded, service.status_changed.
   */
  type?: EventType | readonly EventType[] | undefined
  /** With `after`: how many seconds to wait for an event when there is none. */
  wait?: number | undefined
}
