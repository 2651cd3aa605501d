// A delivery: the body and headers that the service posts to a merchant's endpoint.
import { type TSchema, Type } from 'typebox'
import type { WebhookEventData, WebhookEventType } from '../events.ts'
import { DateTime, Uuid } from '../primitives.ts'
import { describe } from '../schema.ts'
import { WEBHOOK_USER_AGENT } from '../webhook-headers.ts'

/** The body of a delivery. */
export interface WebhookEnvelope<EventType extends WebhookEventType = WebhookEventType> {
  /** The event: equal to the webhook-id header, the same on every attempt and wherever it is read. */
  readonly id: string
  readonly type: EventType
  readonly createdAt: string
  readonly data: WebhookEventData<EventType>
}

/** The schema of a delivery's body. */
export const webhookEnvelope = <Data extends TSchema>(type: string, data: Data) =>
  Type.Object(
    {
      id: describe(
        Uuid,
        'The event: equal to the webhook-id header, the same on every attempt and wherever it is read.',
      ),
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

/** How far a delivery's timestamp may be from the receiver's clock. */
export const WEBHOOK_TOLERANCE_SECONDS = 300

export const WebhookHeaders = Type.Object({
  'user-agent': Type.Unsafe<string>({ type: 'string', const: WEBHOOK_USER_AGENT }),
  'webhook-id': describe(Uuid, 'The event. Stable across attempts: use it to drop repeats.'),
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
