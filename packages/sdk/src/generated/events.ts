// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  BroadcastEventData,
  CustodyDepositEventData,
  DepositEventData,
  MarketOrderEventData,
  RefundEventData,
  SettlementEventData,
  StatusEventData,
  TradeEventData,
  WithdrawalEventData,
} from './shared.ts'

/** The data of each type of event. */
export interface WebhookEventDataByType {
  /** The buy was accepted, its price is held. */
  'trade.initiated': TradeEventData
  /** The order was placed at its market. */
  'trade.pending': TradeEventData
  /** The market is processing or delivering. */
  'trade.active': TradeEventData
  /** The items were received; the hold window runs. */
  'trade.hold': TradeEventData
  /** The hold is over, the trade is done. */
  'trade.completed': SettlementEventData
  /** It could not be placed or delivered; refunded in full. */
  'trade.failed': TradeEventData
  /** Canceled before delivery; refunded in full. */
  'trade.canceled': TradeEventData
  /** The buyer let the offer fall; refunded less the penalty. */
  'trade.declined': TradeEventData
  /** The items were taken back after delivery. */
  'trade.reverted': TradeEventData
  /** Fees and earnings were posted. */
  'trade.settled': SettlementEventData
  /**
   * The price of an item was refunded, less a penalty; one event for each item. `refunded` is 0,
   * and nothing is posted to the wallet, when the user reversed the delivery.
   */
  'trade.refunded': RefundEventData
  /** The whole quantity was bought; sent once. */
  'market_order.filled': MarketOrderEventData
  /** Nothing is bought until the cause in `pausedReason` is gone; then it goes on by itself. */
  'market_order.paused': MarketOrderEventData
  /** It was canceled, or has expired. */
  'market_order.closed': MarketOrderEventData
  /** A deposit was created, or a transfer was first seen. */
  'deposit.initiated': DepositEventData
  /** A payment was seen and is not settled yet. */
  'deposit.pending': DepositEventData
  /** The whole amount arrived; the wallet is credited. */
  'deposit.completed': DepositEventData
  /** The order is over and less than the whole amount arrived; what arrived is credited. */
  'deposit.partial': DepositEventData
  /** Nothing was paid in time. */
  'deposit.expired': DepositEventData
  /** It failed; `reason` says why. A credited chain deposit that its chain gave up was taken back. */
  'deposit.failed': DepositEventData
  /** The provider took a payment back, and so did we; one event for each refund. */
  'deposit.refunded': DepositEventData
  /** It was cancelled before a payment was seen. */
  'deposit.cancelled': DepositEventData
  /** A deposit into payout custody is confirmed. */
  'payout.crypto.deposit.completed': CustodyDepositEventData
  /** Asks whether a withdrawal may leave: 2xx within 5 seconds lets it, 4xx refunds it. */
  'payout.crypto.withdraw.approval': WithdrawalEventData
  /** The withdrawal was sent to its chain. */
  'payout.crypto.withdraw.broadcast': BroadcastEventData
  /** The withdrawal is paid for good. */
  'payout.crypto.withdraw.confirmed': WithdrawalEventData
  /** The withdrawal was not paid; amount and fee are back in custody. */
  'payout.crypto.withdraw.refunded': WithdrawalEventData
  /** A part of the service has another status. */
  'service.status_changed': StatusEventData
}

export type WebhookEventType = keyof WebhookEventDataByType

/** The body of a delivery. */
export interface WebhookEventOf<Type extends WebhookEventType> {
  /** The same on every attempt: use it to drop repeats. */
  id: string
  type: Type
  createdAt: string
  data: WebhookEventDataByType[Type]
}

/**
 * Any delivery; `type` says which data it has. A newer service may send types that are not in this list:
 * leave those alone.
 */
export type WebhookEvent = { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]
