import { type Static, Type } from 'typebox'
import { withMessage } from '../../partner-route.ts'
import { TEXT_PATTERN } from '../../patterns.ts'
import { EmailAddress, MoneyNumber, UserStatus, Uuid } from '../../primitives.ts'
import { describe, nullable, stringEnum } from '../../schema.ts'

const KeyId = describe(Uuid, 'The id of an account’s first API key, which names the account here.')

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: TEXT_PATTERN })

export const CreateChildBody = Type.Object(
  {
    email: EmailAddress,
    name: Type.Optional(text(128)),
    description: Type.Optional(text(500)),
  },
  {
    title: 'CreateChildBody',
    additionalProperties: false,
    examples: [{ email: 'shop@example.com', name: 'A shop' }],
  },
)
export type CreateChildBody = Static<typeof CreateChildBody>

export const ChildResponse = withMessage('ChildResponse', {
  apiKeyId: KeyId,
  apiKey: Type.Optional(Type.String({ description: 'Of a new child only, and shown this once.' })),
  email: EmailAddress,
  name: describe(Type.String(), 'The e-mail address while no name was given.'),
  linkedUserId: nullable(describe(Uuid, 'The dashboard log-in of that e-mail address.')),
  status: UserStatus,
})
export type ChildResponse = Static<typeof ChildResponse>

/** A thousand million dollars. */
export const MAX_TRANSFER_CENTS = 100_000_000_000

export const PartnerTransferBody = Type.Object(
  {
    toEmail: Type.Optional(EmailAddress),
    toApiKeyId: Type.Optional(KeyId),
    amountCents: Type.Integer({ minimum: 1, maximum: MAX_TRANSFER_CENTS, examples: [5000] }),
    idempotencyKey: Type.String({ minLength: 1, maxLength: 128, pattern: TEXT_PATTERN }),
  },
  {
    title: 'TransferBody',
    additionalProperties: false,
    // The empty properties are for validators that want to see what a branch requires.
    oneOf: [
      { required: ['toEmail'], properties: { toEmail: {} } },
      { required: ['toApiKeyId'], properties: { toApiKeyId: {} } },
    ],
    examples: [{ toEmail: 'shop@example.com', amountCents: 5000, idempotencyKey: 'top-up-7' }],
  },
)
export type PartnerTransferBody = Static<typeof PartnerTransferBody>

export const PartnerTransferResponse = withMessage('TransferResponse', {
  partnerApiKeyId: Type.Optional(KeyId),
  userApiKeyId: Type.Optional(KeyId),
  amountCents: Type.Optional(Type.Integer()),
})
export type PartnerTransferResponse = Static<typeof PartnerTransferResponse>

export const PartnerStats = Type.Object(
  {
    orderAmount: Type.Integer({ description: 'Completed orders.' }),
    pendingOrderAmount: Type.Integer({ description: 'Orders under way.' }),
    volume: describe(MoneyNumber, 'What the completed ones cost, in USD.'),
    pendingVolume: describe(MoneyNumber, 'What those under way cost, in USD.'),
    partnerRevenue: describe(MoneyNumber, 'Partner fees that were paid out, in USD.'),
    pendingPartnerRevenue: describe(MoneyNumber, 'Partner fees of orders under way, in USD.'),
  },
  { title: 'PartnerStats' },
)
export type PartnerStats = Static<typeof PartnerStats>

// ---------------------------------------------------------------- market health

export const HealthStatus = stringEnum(['ok', 'degraded', 'down'], { title: 'HealthStatus' })
export type HealthStatus = Static<typeof HealthStatus>

export const MarketWorkerHealth = Type.Object(
  {
    workerId: Type.String(),
    queue: Type.String(),
    consumerCount: Type.Integer({ minimum: 0 }),
    heartbeat: nullable(
      Type.Object(
        {
          ts: describe(Type.Integer(), 'Unix milliseconds.'),
          ageMs: Type.Integer({ minimum: 0 }),
          balanceUsd: nullable(
            describe(MoneyNumber, 'Our balance at the market, as the worker last knew it.'),
          ),
        },
        { title: 'WorkerHeartbeat' },
      ),
    ),
    status: stringEnum(['ok', 'no-consumer', 'no-heartbeat', 'stale-heartbeat'], {
      title: 'WorkerStatus',
    }),
  },
  { title: 'MarketWorkerHealth' },
)
export type MarketWorkerHealth = Static<typeof MarketWorkerHealth>

export const MarketHealthEntry = Type.Object(
  {
    status: HealthStatus,
    staleMs: Type.Integer({ description: 'A heartbeat older than this is stale.' }),
    commonQueue: Type.String({
      description: 'The queue that all workers of the market take from.',
    }),
    commonConsumers: Type.Integer({ description: 'Workers that take orders from it.' }),
    workers: Type.Array(MarketWorkerHealth),
  },
  { title: 'MarketHealthEntry' },
)
export type MarketHealthEntry = Static<typeof MarketHealthEntry>

export const MarketHealth = Type.Object(
  {
    status: describe(HealthStatus, 'Of all markets.'),
    ts: describe(Type.Integer(), 'Unix milliseconds.'),
    markets: Type.Object(
      { market_a: MarketHealthEntry, market_b: MarketHealthEntry },
      { title: 'HealthOfMarkets' },
    ),
    service: Type.Object(
      { market_a: Type.Boolean(), market_b: Type.Boolean() },
      { title: 'MarketSwitches', description: 'Buys of the market are accepted.' },
    ),
  },
  { title: 'MarketHealth' },
)
export type MarketHealth = Static<typeof MarketHealth>
