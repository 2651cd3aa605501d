// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { OrderEventData, OrderRefundEventData } from './shared.ts'

/** The data of each type of event. */
export interface WebhookEventDataByType {
  /** The status code of an order has changed; the first one says INITIATED. */
  'order.updated': OrderEventData
  /**
   * The price of an order was refunded, less a penalty. `amount` is 0, and nothing is posted to
   * the wallet, when the user reversed the delivery.
   */
  'order.refunded': OrderRefundEventData
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
