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

export const KeyAccounts = Type.Array(
  describe(Uuid, 'The UUID of a sub-user, not its externalId.'),
  {
    minItems: 1,
    maxItems: MOST_ACCOUNTS,
    uniqueItems: true,
    description: 'The only sub-users that the key acts for.',
  },
)

export const SpendLimit = Type.Object(
  {
    amountCents: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'US cents.' }),
    window: describe(stringEnum(['day', 'month']), 'A UTC calendar day or month.'),
  },
  {
    title: 'SpendLimit',
    additionalProperties: false,
    description:
      'The most that buys, fundings and payouts with the key may cost together in a UTC day or month, less what is refunded within it.',
  },
)
export type SpendLimit = Static<typeof SpendLimit>

/** As they are shown. */
export const keyBounds = {
  scopes: describe(Type.Array(stringEnum(KEY_SCOPES)), 'What the key may do.'),
  accounts: nullable(
    describe(Type.Array(Uuid), 'The only sub-users that the key acts for; null: no restriction.'),
  ),
  expiresAt: nullable(describe(DateTime, 'From then on the key is refused; null: never.')),
  spendLimit: nullable(SpendLimit),
  spentCents: describe(
    Cents,
    'US cents spent of the limit in the current day or month; 0 without a limit.',
  ),
}

export const MerchantKey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    ...keyBounds,
    allowlist: describe(
      Type.Array(Type.String()),
      'Networks from which the key may be used; empty: any.',
    ),
  },
  { title: 'MerchantKey' },
)
export type MerchantKey = Static<typeof MerchantKey>
