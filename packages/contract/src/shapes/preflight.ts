import { type Static, Type } from 'typebox'
import {
  Currency,
  DeliveryMode,
  ExternalId,
  ListingId,
  ListingRawId,
  MoneyNumber,
  PlatformId,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

const refusal = nullable(
  Type.String({
    description: 'The key with which a buy would be refused now; null when it passes.',
  }),
)

export const PreflightItem = Type.Object(
  {
    listingId: nullable(ListingId),
    listingRawId: nullable(ListingRawId),
    externalId: Type.Optional(ExternalId),
    marketHashName: nullable(Type.String()),
    delivery: nullable(DeliveryMode),
    sourcing: describe(nullable(MoneyNumber), 'The supplier’s price, in the wallet’s currency.'),
    houseFee: nullable(MoneyNumber),
    merchantFee: nullable(MoneyNumber),
    price: describe(nullable(MoneyNumber), 'What would be taken: sourcing and both fees.'),
    maxPrice: describe(MoneyNumber, 'The limit of the request.'),
    passes: Type.Boolean(),
    refusal,
  },
  { title: 'PreflightItem' },
)
export type PreflightItem = Static<typeof PreflightItem>

export const RECIPIENT_STATES = ['ready', 'restricted', 'refused'] as const
export const RecipientState = stringEnum(RECIPIENT_STATES, { title: 'RecipientState' })
export type RecipientState = Static<typeof RecipientState>

export const PreflightRecipient = Type.Object(
  {
    state: describe(
      RecipientState,
      'restricted: the platform holds trades to this account or has it on probation, so a supplier may refuse it.',
    ),
    tradeUrl: nullable(Type.String()),
    platformId: nullable(PlatformId),
    personaName: nullable(Type.String()),
    holdDays: nullable(
      Type.Integer({ description: 'Days that the platform would hold a trade to this account.' }),
    ),
    probation: nullable(Type.Boolean()),
    refusal,
  },
  { title: 'PreflightRecipient' },
)
export type PreflightRecipient = Static<typeof PreflightRecipient>

export const PreflightBalance = Type.Object(
  {
    currency: Currency,
    before: MoneyNumber,
    required: describe(MoneyNumber, 'The sum of the items that pass.'),
    after: describe(MoneyNumber, 'Below zero: so much is missing.'),
    sufficient: Type.Boolean(),
  },
  { title: 'PreflightBalance' },
)
export type PreflightBalance = Static<typeof PreflightBalance>

export const PreflightResponse = Type.Object(
  {
    passes: Type.Boolean({ description: 'A buy with this body would be accepted now.' }),
    refusals: Type.Array(Type.String(), {
      description:
        'Every key with which it would be refused, each once, in the order in which a buy checks.',
    }),
    tradeId: describe(
      nullable(Uuid),
      'The trade that already carries the externalId of the body. With the same body a buy returns it again and takes nothing, so the preflight passes; with another body `refusals` has IDEMPOTENCY_CONFLICT.',
    ),
    items: Type.Array(PreflightItem),
    recipient: PreflightRecipient,
    balance: PreflightBalance,
  },
  { title: 'PreflightResponse' },
)
export type PreflightResponse = Static<typeof PreflightResponse>
