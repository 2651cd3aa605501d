// What the service posts to a merchant's endpoint.
import { type Static, type TSchema, Type } from 'typebox'
import { Cents, DateTime, ExternalId, MoneyNumber, Uuid } from './primitives.ts'
import { describe } from './schema.ts'
import { Trade } from './shapes/trade.ts'

export const Settlement = Type.Object(
  { houseFeeCents: Cents, merchantFeeCents: Cents },
  { title: 'Settlement' },
)
export type Settlement = Static<typeof Settlement>

export const EventRefund = Type.Object(
  {
    itemId: describe(Uuid, 'The id of the refunded item in the trade.'),
    externalId: Type.Optional(ExternalId),
    buyerFault: Type.Boolean(),
    refunded: describe(MoneyNumber, 'Returned to the wallet, fees included, in USD.'),
    penalty: describe(MoneyNumber, 'Withheld for a fault of the buyer, in USD.'),
  },
  { title: 'EventRefund' },
)
export type EventRefund = Static<typeof EventRefund>

export const TradeEventData = Type.Object({ trade: Trade }, { title: 'TradeEventData' })
export type TradeEventData = Static<typeof TradeEventData>

export const SettlementEventData = Type.Object(
  { trade: Trade, settlement: Settlement },
  { title: 'SettlementEventData' },
)
export type SettlementEventData = Static<typeof SettlementEventData>

export const RefundEventData = Type.Object(
  { trade: Trade, refund: EventRefund },
  { title: 'RefundEventData' },
)
export type RefundEventData = Static<typeof RefundEventData>

export interface EventDefinition {
  readonly type: string
  readonly summary: string
  readonly data: TSchema
}

const event = <const Name extends string, Data extends TSchema>(
  type: Name,
  summary: string,
  data: Data,
) => ({ type, summary, data })

export const tradeEvents = {
  'trade.initiated': event(
    'trade.initiated',
    'The buy was accepted, its price is held.',
    TradeEventData,
  ),
  'trade.pending': event('trade.pending', 'The order was placed at its market.', TradeEventData),
  'trade.active': event('trade.active', 'The market is processing or delivering.', TradeEventData),
  'trade.hold': event(
    'trade.hold',
    'The items were received; the hold window runs.',
    TradeEventData,
  ),
  'trade.completed': event(
    'trade.completed',
    'The hold is over, the trade is done.',
    SettlementEventData,
  ),
  'trade.failed': event(
    'trade.failed',
    'It could not be placed or delivered; refunded in full.',
    TradeEventData,
  ),
  'trade.canceled': event(
    'trade.canceled',
    'Canceled before delivery; refunded in full.',
    TradeEventData,
  ),
  'trade.declined': event(
    'trade.declined',
    'The buyer let the offer fall; refunded less the penalty.',
    TradeEventData,
  ),
  'trade.reverted': event(
    'trade.reverted',
    'The items were taken back after delivery.',
    TradeEventData,
  ),
  'trade.settled': event('trade.settled', 'Fees and earnings were posted.', SettlementEventData),
  'trade.refunded': event(
    'trade.refunded',
    'A refund was posted; one event for each item.',
    RefundEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type TradeEventType = keyof typeof tradeEvents

/** All webhook event types of the merchant interface. */
export const webhookEvents = { ...tradeEvents } as const
export type WebhookEventType = keyof typeof webhookEvents
export type WebhookEventData<EventType extends WebhookEventType> = Static<
  (typeof webhookEvents)[EventType]['data']
>

/** The body of a delivery. */
export interface WebhookEnvelope<EventType extends WebhookEventType = WebhookEventType> {
  /** Equal to the webhook-id header, the same on every attempt. */
  readonly id: string
  readonly type: EventType
  readonly createdAt: string
  readonly data: WebhookEventData<EventType>
}

/** The schema of a delivery's body. */
export const webhookEnvelope = <Data extends TSchema>(type: string, data: Data) =>
  Type.Object(
    {
      id: describe(Uuid, 'Equal to the webhook-id header, the same on every attempt.'),
      type: Type.Unsafe<string>({ type: 'string', const: type }),
      createdAt: DateTime,
      data,
    },
    { title: `${eventName(type)}Event` },
  )

/** `trade.initiated` as `TradeInitiated`. */
export const eventName = (type: string): string =>
  type
    .split(/[^a-zA-Z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const WEBHOOK_ID_HEADER = 'webhook-id'
export const WEBHOOK_TIMESTAMP_HEADER = 'webhook-timestamp'
export const WEBHOOK_SIGNATURE_HEADER = 'webhook-signature'
export const WEBHOOK_USER_AGENT = 'Service-Webhooks/1.0'

/** How far a delivery's timestamp may be from the receiver's clock. */
export const WEBHOOK_TOLERANCE_SECONDS = 300

export const WebhookHeaders = Type.Object({
  'user-agent': Type.Unsafe<string>({ type: 'string', const: WEBHOOK_USER_AGENT }),
  'webhook-id': describe(Uuid, 'The delivery. Stable across attempts: use it to drop repeats.'),
  'webhook-timestamp': Type.String({
    pattern: '^\\d+$',
    description: 'Unix seconds when this attempt was signed.',
  }),
  'webhook-signature': Type.String({
    pattern: '^t=\\d+,s=[A-Za-z0-9_-]{43}(,s1=[A-Za-z0-9_-]{43})?$',
    description:
      'HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the endpoint’s secret, base64url without padding. While a secret is rotated, s1 is the signature with the previous one; accept either.',
  }),
})
