// What narrows an API key: shared by the key's own view of itself and by the dashboard.
import { type Static, Type } from 'typebox'
import { Cents, DateTime, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { KEY_SCOPES } from '../scopes.ts'

const MOST_ACCOUNTS = 100

export const KeyScopes = Type.Array(stringEnum(KEY_SCOPES), {
  minItems: 1,
  maxItems: KEY_SCOPES.length,
  uniqueItems: true,
  description: 'What the key may do.',
})

export const KeyAccounts = Type.Array(Uuid, {
  minItems: 1,
  maxItems: MOST_ACCOUNTS,
  uniqueItems: true,
  description: 'The only sub-users that the key acts for.',
})

export const SpendLimit = Type.Object(
  {
    amountCents: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'US cents.' }),
    window: describe(stringEnum(['day', 'month']), 'Of the UTC calendar.'),
  },
  {
    title: 'SpendLimit',
    additionalProperties: false,
    description:
      'What buys, fundings and payouts with the key may cost together in a day or a month of UTC, less what is refunded within it.',
  },
)
export type SpendLimit = Static<typeof SpendLimit>

/** As they are shown. */
export const keyBounds = {
  scopes: describe(Type.Array(stringEnum(KEY_SCOPES)), 'What the key may do.'),
  accounts: nullable(describe(Type.Array(Uuid), 'The sub-users that it acts for; null: any.')),
  expiresAt: nullable(describe(DateTime, 'From then on it opens nothing.')),
  spendLimit: nullable(SpendLimit),
  spentCents: describe(Cents, 'Of the limit, US cents, in its window of now; 0 without a limit.'),
}

export const MerchantKey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    ...keyBounds,
    allowlist: describe(Type.Array(Type.String()), 'Networks that may use it; empty: any.'),
  },
  { title: 'MerchantKey' },
)
export type MerchantKey = Static<typeof MerchantKey>
