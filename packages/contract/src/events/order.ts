// The events of the partner interface.
import { type Static, Type } from 'typebox'
import { MoneyNumber } from '../primitives.ts'
import { describe } from '../schema.ts'
import { PartnerOrder } from '../shapes/partner/order.ts'
import { SERVICE_SIGNATURE_HEADER } from '../webhook-headers.ts'
import { type EventDefinition, event } from './family.ts'
import { WebhookHeaders } from './webhook.ts'

export const OrderEventData = Type.Object({ order: PartnerOrder }, { title: 'OrderEventData' })
export type OrderEventData = Static<typeof OrderEventData>

export const OrderRefund = Type.Object(
  {
    amount: describe(MoneyNumber, 'Returned to the wallet, in USD.'),
    penalty: describe(MoneyNumber, 'Withheld for a fault of the buyer, in USD.'),
  },
  { title: 'OrderRefund' },
)

export const OrderRefundEventData = Type.Object(
  { order: PartnerOrder, refund: OrderRefund },
  { title: 'OrderRefundEventData' },
)
export type OrderRefundEventData = Static<typeof OrderRefundEventData>

export const orderEvents = {
  'order.updated': event(
    'order.updated',
    'The status code of an order has changed; the first one says INITIATED.',
    OrderEventData,
  ),
  'order.refunded': event(
    'order.refunded',
    'The price of an order was refunded, less a penalty. `amount` is 0, and nothing is posted to the wallet, when the user reversed the delivery.',
    OrderRefundEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type OrderEventType = keyof typeof orderEvents
export type OrderEventDataOf<EventType extends OrderEventType> = Static<
  (typeof orderEvents)[EventType]['data']
>

const { 'webhook-signature': signature, ...headers } = WebhookHeaders.properties

/** Those of every delivery, with the signature under the partner interface's name. */
export const OrderEventHeaders = Type.Object({
  ...headers,
  [SERVICE_SIGNATURE_HEADER]: signature,
})
