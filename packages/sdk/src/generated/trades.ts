// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Currency, Trade, TradeStatus, TradeType } from './shared.ts'

export interface CancelItemResponse {
  /** The item of the trade. */
  itemId: string
  /**
   * failed: the supplier refused or did not answer. The item continues; if it was canceled
   * nevertheless, its status and trade.refunded show it.
   */
  status: CancelStatus
}

export type CancelStatus = 'cancelled' | 'failed'

export interface CancelTradeResponse {
  /** The trade. */
  tradeId: string
  /** Items that had not ended and were not in hold when it was asked. */
  requested: number
  /** Items that were cancelled. */
  cancelled: number
  /** Items that could not be cancelled. */
  failed: number
  /** The rows of this page, or the parts of this object. */
  items: CanceledItem[]
}

export interface CanceledItem {
  /** The item of the trade. */
  itemId: string
  /** Your own reference. */
  externalId?: string
  /** The current status. */
  status: CancelStatus
  /**
   * The key of the refusal, such as TRADE_CANCEL_TOO_SOON; TRADE_CANCEL_PENDING when the market
   * will be asked as soon as its budget of calls allows; absent when the supplier refused or did
   * not answer.
   */
  reason?: string
}

export interface TimelineEntry {
  /** When it happened. */
  at: string
  /**
   * request: the trade was made. item: an item took a step. offer: a platform offer became known.
   * money: the wallet moved. event: news was written. webhook: an attempt to deliver it.
   */
  kind: TimelineKind
  /**
   * Of an item moved, cancel_requested or replaced; of money the type of the ledger row; of an
   * event and a webhook the event type.
   */
  what: string
  /** The item that it is about; null for the whole trade. */
  itemId: string | null
  /** Where the item stood afterwards. */
  status: TradeStatus | null
  /** The code with which an item failed. */
  error: string | null
  /** Plus into the wallet, minus out of it. */
  amount: number | null
  /** The platform’s trade offer. */
  offerId: string | null
  /** Of the event. */
  eventId: string | null
  /** Of the webhook: its number. */
  attempt: number | null
  /** What the endpoint answered; null when it did not. */
  responseStatus: number | null
}

export type TimelineKind = 'request' | 'item' | 'offer' | 'money' | 'event' | 'webhook'

export interface TradeListResponse {
  /** Trades, newest first. */
  trades: Trade[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export interface TradeLookupBody {
  /** Your own references. */
  externalIds: readonly string[]
}

export interface TradeLookupResponse {
  /** One for each externalId, in the order of the request. */
  results: TradeLookupResult[]
}

export interface TradeLookupResult {
  /** Your own reference. */
  externalId: string
  /**
   * never_seen: no trade carries it at this moment. A request that is still on its way may yet
   * make one: repeat the request with the same externalId instead of using a new one.
   */
  status: TradeLookupStatus
  /**
   * Every trade with it, newest first, of the merchant and of its sub-users: an externalId is
   * unique for each account. At most 5 are shown; of more than 100 trades not always the newest.
   */
  trades: Trade[]
  /** How many trades carry it; 100 stands for as many or more. */
  total: number
}

export type TradeLookupStatus = 'found' | 'never_seen'

export interface TradeTimeline {
  /** The trade. */
  tradeId: string
  /** Of the request that made the trade. */
  requestId: string | null
  /** The currency of the amounts. */
  currency: Currency
  /** By rising time. */
  entries: TimelineEntry[]
}

export interface TransactionTradesResponse {
  /** The rows of this page, newest first. */
  transactions: Trade[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

/** The query of GET /merchant/trades. */
export interface ListMerchantTradesQuery {
  type?: TradeType | undefined
  status?: TradeStatus | undefined
  /** Leaves out failed and reverted trades; ignored when `status` is set. */
  hideResolved?: boolean | undefined
  /**
   * Part of an item’s market hash name. A page by `type`, `status`, `hideResolved` or this may be
   * short or empty while `nextCursor` is not null: each looks at 10,000 trades at most.
   */
  itemName?: string | undefined
  /** The trade’s own externalId. */
  externalId?: string | undefined
  offerId?: string | undefined
  tradeId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  /** A sub-user’s UUID or externalId. */
  subUserId?: string | undefined
}

/** The query of GET /merchant/users/{id}/trades. */
export interface ListSubUserTradesQuery {
  type?: TradeType | undefined
  status?: TradeStatus | undefined
  /** Leaves out failed and reverted trades; ignored when `status` is set. */
  hideResolved?: boolean | undefined
  /**
   * Part of an item’s market hash name. A page by `type`, `status`, `hideResolved` or this may be
   * short or empty while `nextCursor` is not null: each looks at 10,000 trades at most.
   */
  itemName?: string | undefined
  /** The trade’s own externalId. */
  externalId?: string | undefined
  offerId?: string | undefined
  tradeId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /market/transactions. */
export interface ListTransactionsQuery {
  type?: TradeType | undefined
  status?: TradeStatus | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
