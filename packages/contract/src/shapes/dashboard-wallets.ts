// The mail about a low balance.
import { type Static, Type } from 'typebox'
import { Currency, DateTime, MoneyNumber, PositiveAmountString } from '../primitives.ts'
import { describe, nullable } from '../schema.ts'

export const BalanceThreshold = Type.Object(
  {
    threshold: describe(
      nullable(MoneyNumber),
      'When the balance falls below it, owners and finance get one mail. Null: none is set.',
    ),
    balance: describe(MoneyNumber, 'Available in the spot wallet.'),
    currency: Currency,
    lowSince: describe(
      nullable(DateTime),
      'When the mail was sent; there is another one only after the balance was a tenth above the threshold, or the threshold was changed.',
    ),
  },
  { title: 'BalanceThreshold' },
)
export type BalanceThreshold = Static<typeof BalanceThreshold>

export const BalanceThresholdBody = Type.Object(
  { threshold: describe(nullable(PositiveAmountString), 'Null sends no mail.') },
  { title: 'BalanceThresholdBody', examples: [{ threshold: '250.00' }] },
)
