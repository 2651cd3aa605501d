import { type Static, Type } from 'typebox'
import { PageNumber } from '../../lists.ts'
import { withMessage } from '../../partner-route.ts'
import { DateTime, MoneyNumber, TwoFactorMethod, Uuid } from '../../primitives.ts'
import { describe, nullable, stringEnum } from '../../schema.ts'

const KeyId = describe(Uuid, 'The id of an account’s first API key, which names the account here.')

export const ChatAccount = Type.Object(
  {
    id: Type.String(),
    username: Type.String(),
    discriminator: Type.String(),
    avatar: nullable(Type.String()),
  },
  { title: 'ChatAccount' },
)

export const PartnerProfileResponse = withMessage('ProfileResponse', {
  type: stringEnum(['user', 'apiKey'], {
    title: 'ProfileType',
    description: 'What the call was made with.',
  }),
  profile: Type.Object(
    {
      id: KeyId,
      balance: describe(MoneyNumber, 'In USD.'),
      twoFactor: Type.Object(
        { enabled: Type.Boolean(), method: nullable(TwoFactorMethod) },
        { title: 'TwoFactor' },
      ),
      subscription: Type.Object(
        {
          active: Type.Boolean(),
          nextBilling: nullable(DateTime),
          cancelAtPeriodEnd: Type.Boolean(),
        },
        { title: 'Subscription' },
      ),
      chat: nullable(ChatAccount),
    },
    { title: 'Profile' },
  ),
})
export type PartnerProfileResponse = Static<typeof PartnerProfileResponse>

const Percent = Type.Number({ examples: [5] })

export const FeeConfigurationResponse = withMessage('FeeConfigurationResponse', {
  fees: Type.Object(
    {
      totalSpent: nullable(MoneyNumber),
      tier: nullable(Type.String()),
      reduction: describe(Percent, 'Percent taken off the fees.'),
      currentFee: describe(Percent, 'Percent of the base price that a buy costs on top.'),
      platformFee: describe(Percent, 'The service’s part of it.'),
      partnerFee: describe(Percent, 'The partner’s part of it.'),
      withdrawFee: describe(Percent, 'Percent of the amount of a withdrawal.'),
      progress: nullable(Type.Number()),
      isCustom: Type.Boolean({ description: 'The service fee was agreed for this account.' }),
      isSubscribed: Type.Boolean(),
      inheritedFrom: nullable(
        Type.Object(
          { type: Type.Unsafe<'ApiKey'>({ type: 'string', const: 'ApiKey' }), id: KeyId },
          {
            title: 'FeeSource',
            description: 'The partner, when the service fee is the partner’s.',
          },
        ),
      ),
    },
    { title: 'FeeConfiguration' },
  ),
})
export type FeeConfigurationResponse = Static<typeof FeeConfigurationResponse>

// ---------------------------------------------------------------- ledger

export const PARTNER_LEDGER_TYPES = [
  'deposit',
  'withdrawal',
  'purchase',
  'refund',
  'transfer_in',
  'transfer_out',
  'fee',
] as const
export const PartnerLedgerType = stringEnum(PARTNER_LEDGER_TYPES, { title: 'LedgerType' })
export type PartnerLedgerType = Static<typeof PartnerLedgerType>

export const LEDGER_DIRECTIONS = ['credit', 'debit', 'neutral'] as const
export const LedgerDirection = stringEnum(LEDGER_DIRECTIONS, { title: 'LedgerDirection' })
export type LedgerDirection = Static<typeof LedgerDirection>

export const PartnerLedgerRow = Type.Object(
  {
    id: describe(Uuid, 'The same row in the ledgers of both sides of a transfer.'),
    type: PartnerLedgerType,
    direction: LedgerDirection,
    amount: describe(MoneyNumber, 'Never negative, in USD.'),
    balanceAfter: describe(MoneyNumber, 'In USD.'),
    reference: nullable(Type.String({ description: 'The reference that the caller chose.' })),
    description: Type.String(),
    timestamp: DateTime,
  },
  { title: 'LedgerRow' },
)
export type PartnerLedgerRow = Static<typeof PartnerLedgerRow>

const LEDGER_FILTERS = [...LEDGER_DIRECTIONS, ...PARTNER_LEDGER_TYPES]

export const PartnerLedgerQuery = Type.Object(
  {
    page: PageNumber,
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Rows in one answer.',
    }),
    type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: `^(${LEDGER_FILTERS.join('|')})(,(${LEDGER_FILTERS.join('|')}))*$`,
        examples: ['credit,debit'],
        description: `Directions and types, separated by commas: ${LEDGER_FILTERS.join(', ')}. A row is shown when any fits.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type PartnerLedgerQuery = Static<typeof PartnerLedgerQuery>

export const PartnerLedgerResponse = withMessage('LedgerResponse', {
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer({ description: 'Rows that match.' }),
  items: Type.Array(PartnerLedgerRow, { description: 'Newest first.' }),
})
export type PartnerLedgerResponse = Static<typeof PartnerLedgerResponse>
