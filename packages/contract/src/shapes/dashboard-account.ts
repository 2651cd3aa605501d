// API keys and the webhook endpoint, as their owner manages them in the dashboard.
import { type Static, Type } from 'typebox'
import { orderEvents } from '../events/order.ts'
import { webhookEvents } from '../events.ts'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { DateTime, FilterText, filterListOf, textLine, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { KeyAccounts, KeyScopes, keyBounds, SpendLimit } from './key.ts'

const KeyName = textLine(128)
const Allowlist = Type.Array(
  Type.String({
    pattern: '^[0-9A-Fa-f:.]{2,45}(/[0-9]{1,3})?$',
    maxLength: 49,
    examples: ['203.0.113.0/24'],
  }),
  {
    maxItems: 100,
    uniqueItems: true,
    description: 'Addresses and CIDR networks that may use the key; empty: any.',
  },
)

export const DashboardKey = Type.Object(
  {
    id: Uuid,
    name: KeyName,
    prefix: Type.String(),
    last4: Type.String(),
    status: stringEnum(['active', 'rotating', 'revoked']),
    allowlist: Type.Array(Type.String()),
    ...keyBounds,
    validUntil: nullable(describe(DateTime, 'The end of the overlap of a rotation.')),
    createdAt: DateTime,
    lastUsedAt: nullable(DateTime),
  },
  { title: 'DashboardKey' },
)
export type DashboardKey = Static<typeof DashboardKey>

export const CreatedKey = Type.Object(
  {
    ...DashboardKey.properties,
    apiKey: describe(Type.String(), 'Shown this once; only its hash is kept.'),
  },
  { title: 'CreatedKey' },
)
export type CreatedKey = Static<typeof CreatedKey>

export const KeyParams = Type.Object({ id: Uuid }, { title: 'KeyParams' })
export const KeyRequestsQuery = Type.Object(
  {
    ...cursorQuery,
    status: Type.Optional(stringEnum(['2xx', '3xx', '4xx', '5xx'])),
    route: Type.Optional(describe(FilterText, 'A part of the method and the route.')),
    error: Type.Optional(describe(FilterText, 'The key of the error, whole.')),
  },
  { title: 'KeyRequestsQuery' },
)
export const KeyRequest = Type.Object(
  {
    id: describe(Uuid, 'The `requestId` of the answer.'),
    startedAt: DateTime,
    durationMs: Type.Integer(),
    method: Type.String(),
    route: describe(Type.String(), 'The route, without its ids; `(none)` where there is none.'),
    status: describe(Type.Integer(), 'Of HTTP; 499: the client left before the answer.'),
    error: nullable(describe(Type.String(), 'The key of the error.')),
    tradeId: nullable(describe(Uuid, 'The trade that it made, or asked about.')),
  },
  { title: 'KeyRequest' },
)
export type KeyRequest = Static<typeof KeyRequest>
export const KeyRequests = cursorListOf('KeyRequests', KeyRequest)

const bounds = {
  scopes: Type.Optional(describe(KeyScopes, 'What the key may do; everything when left out.')),
  accounts: Type.Optional(nullable(KeyAccounts)),
  expiresAt: Type.Optional(nullable(DateTime)),
  spendLimit: Type.Optional(nullable(SpendLimit)),
}
export const CreateKeyBody = Type.Object(
  { name: KeyName, allowlist: Type.Optional(Allowlist), ...bounds },
  { title: 'CreateKeyBody' },
)
export const UpdateKeyBody = Type.Object(
  { name: Type.Optional(KeyName), allowlist: Type.Optional(Allowlist), ...bounds },
  { title: 'UpdateKeyBody', minProperties: 1 },
)
export const OVERLAP_CHOICES = [0, 1, 24, 72] as const
const OverlapHours = Type.Unsafe<(typeof OVERLAP_CHOICES)[number]>({
  type: 'integer',
  enum: [...OVERLAP_CHOICES],
})
export const RotateKeyBody = Type.Object({ overlapHours: OverlapHours }, { title: 'RotateKeyBody' })

export const WebhookEndpoint = Type.Object(
  {
    url: nullable(Type.String()),
    status: nullable(stringEnum(['enabled', 'disabled'])),
    failingSince: nullable(DateTime),
    disabledReason: nullable(Type.String()),
    secret: nullable(describe(Type.String(), 'Of a new endpoint, shown this once.')),
    allowsPrivate: Type.Boolean({
      description: 'This installation sends to private networks too, and over http.',
    }),
    approvesWithdrawals: Type.Boolean({
      description:
        'Withdrawals from payout custody are approved at this endpoint, so another address needs `money.write` too.',
    }),
  },
  { title: 'WebhookEndpoint' },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
export const SetWebhookBody = Type.Object(
  { url: Type.String({ minLength: 1, maxLength: 2048 }) },
  { title: 'SetWebhookBody' },
)
export const RotateSecretBody = Type.Object(
  { overlapHours: OverlapHours },
  { title: 'RotateSecretBody' },
)
export const WebhookSecret = Type.Object({ secret: Type.String() }, { title: 'WebhookSecret' })

/** Asked of a merchant's callback, and never sent to an endpoint as an event. */
const APPROVAL = 'payout.crypto.withdraw.approval'
/** The types that an endpoint can be limited to, by the interface of its account. */
export const ENDPOINT_EVENTS: {
  readonly merchant: readonly string[]
  readonly partner: readonly string[]
} = {
  merchant: Object.keys(webhookEvents).filter((type) => type !== APPROVAL),
  partner: Object.keys(orderEvents),
}
export const ENDPOINT_EVENT_TYPES: readonly string[] = Object.values(ENDPOINT_EVENTS).flat()
export const SIGNATURE_FORMS = ['service', 'standard'] as const

const EndpointUrl = Type.String({ minLength: 1, maxLength: 2048 })
const EndpointEvents = nullable(
  Type.Array(stringEnum(ENDPOINT_EVENT_TYPES), {
    minItems: 1,
    maxItems: ENDPOINT_EVENT_TYPES.length,
    uniqueItems: true,
    description: 'The types that it receives; null: all, also those that are new.',
  }),
)
const Description = describe(
  Type.Union([Type.Literal(''), textLine(200)]),
  'For its owner; empty by default.',
)
const Signature = describe(
  stringEnum(SIGNATURE_FORMS),
  '`service`: `t=…,s=…`, as documented. `standard`: Standard Webhooks 1.0, of merchants alone.',
)

export const DashboardEndpoint = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    description: Type.String(),
    events: nullable(Type.Array(Type.String())),
    signature: stringEnum(SIGNATURE_FORMS),
    status: stringEnum(['active', 'disabled']),
    disabledReason: nullable(Type.String()),
    failingSince: nullable(DateTime),
    isOldest: describe(
      Type.Boolean(),
      'The one that `/dashboard/api/webhook` is about, and that approvals of withdrawals go to.',
    ),
    createdAt: DateTime,
  },
  { title: 'DashboardEndpoint' },
)
export type DashboardEndpoint = Static<typeof DashboardEndpoint>
export const CreatedEndpoint = Type.Object(
  {
    ...DashboardEndpoint.properties,
    secret: describe(Type.String(), 'Signs its deliveries. Shown this once.'),
  },
  { title: 'CreatedEndpoint' },
)
export type CreatedEndpoint = Static<typeof CreatedEndpoint>
export const EndpointParams = Type.Object({ id: Uuid }, { title: 'EndpointParams' })
export const CreateEndpointBody = Type.Object(
  {
    url: EndpointUrl,
    description: Type.Optional(Description),
    events: Type.Optional(EndpointEvents),
    signature: Type.Optional(Signature),
  },
  {
    title: 'CreateEndpointBody',
    examples: [{ url: 'https://shop.example/hooks', events: ['trade.settled'] }],
  },
)
export const UpdateEndpointBody = Type.Object(
  {
    url: Type.Optional(EndpointUrl),
    description: Type.Optional(Description),
    events: Type.Optional(EndpointEvents),
    signature: Type.Optional(Signature),
    status: Type.Optional(stringEnum(['active', 'disabled'])),
  },
  { title: 'UpdateEndpointBody', minProperties: 1, examples: [{ status: 'disabled' }] },
)

export const WebhookAttempt = Type.Object(
  {
    startedAt: DateTime,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer()),
    error: nullable(Type.String()),
    manual: describe(Type.Boolean(), 'Sent again by a person.'),
    requestHeaders: Type.Record(Type.String(), Type.String()),
    requestBody: Type.String(),
    responseBody: nullable(Type.String()),
  },
  { title: 'WebhookAttempt' },
)
export const DashboardDelivery = Type.Object(
  {
    id: Uuid,
    endpointId: describe(Uuid, 'The endpoint that it goes to; it may have been removed.'),
    type: Type.String(),
    isTest: describe(Type.Boolean(), 'A test of the endpoint, which is no event.'),
    subjectId: describe(Uuid, 'The trade, deposit or withdrawal; of a test, the account.'),
    status: stringEnum(['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked']),
    attempts: Type.Integer(),
    lastStatus: nullable(Type.Integer()),
    lastError: nullable(describe(Type.String(), 'Why the last attempt failed.')),
    createdAt: DateTime,
    nextAttemptAt: nullable(DateTime),
  },
  { title: 'DashboardDelivery' },
)
export type DashboardDelivery = Static<typeof DashboardDelivery>
export const DeliveryParams = Type.Object({ id: Uuid }, { title: 'DeliveryParams' })
export const DeliveryDetail = Type.Object(
  {
    ...DashboardDelivery.properties,
    event: nullable(
      describe(
        Type.Object({
          id: describe(Uuid, 'The webhook-id, and its id in the feed of events.'),
          subjectType: describe(
            Type.String(),
            'What it is about: `trade`, `deposit`, `custody_deposit` or `withdrawal`.',
          ),
        }),
        'Null for a test, and for an event that is not kept any more.',
      ),
    ),
    history: Type.Array(WebhookAttempt),
  },
  { title: 'DeliveryDetail' },
)
export type DeliveryDetail = Static<typeof DeliveryDetail>
export const DeliveriesQuery = Type.Object(
  {
    ...cursorQuery,
    status: Type.Optional(
      filterListOf(['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked']),
    ),
    type: Type.Optional(describe(FilterText, 'An event type, as the endpoint receives it.')),
    subjectId: Type.Optional(describe(Uuid, 'Of this trade, deposit or withdrawal only.')),
    from: Type.Optional(describe(DateTime, 'Events from this time on.')),
    to: Type.Optional(describe(DateTime, 'Events before this time.')),
  },
  { title: 'DeliveriesQuery' },
)
export const EveryDeliveryQuery = Type.Object(
  {
    ...DeliveriesQuery.properties,
    endpointId: Type.Optional(describe(Uuid, 'To this endpoint only.')),
  },
  { title: 'EveryDeliveryQuery' },
)
export const DashboardDeliveries = cursorListOf('DashboardDeliveries', DashboardDelivery)
export const RecoverBody = Type.Object(
  { since: DateTime },
  { title: 'RecoverBody', examples: [{ since: '2026-11-21T08:00:00.000Z' }] },
)
export const Recovered = Type.Object(
  {
    count: describe(
      Type.Integer(),
      'Deliveries that are sent again now, ten a second: at most 5,000 of one call, the next call goes on.',
    ),
  },
  { title: 'Recovered' },
)
export const ResendResult = Type.Object(
  {
    delivered: Type.Boolean(),
    status: nullable(Type.Integer()),
    error: nullable(Type.String()),
  },
  { title: 'ResendResult' },
)
export const TestResult = Type.Object(
  {
    ...ResendResult.properties,
    deliveryId: describe(Uuid, 'The test among the deliveries.'),
  },
  { title: 'TestResult' },
)
