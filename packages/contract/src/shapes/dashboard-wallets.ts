// Wallets as people see them: what each row of a ledger is about, and the mail about a low balance.
import { type Static, Type } from 'typebox'
import { cursorListOf } from '../lists.ts'
import { Currency, DateTime, MoneyNumber, PositiveAmountString, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { TransactionItem } from './wallet.ts'

export const LedgerSubject = Type.Object(
  {
    type: describe(
      stringEnum(['trade', 'deposit', 'withdrawal', 'account']),
      'An account is the other one of money that moved between two.',
    ),
    id: Uuid,
    name: describe(
      Type.String(),
      'The items of a trade; what a deposit asks for; the reference of a withdrawal; the external id or e-mail address of an account.',
    ),
  },
  { title: 'LedgerSubject' },
)
export type LedgerSubject = Static<typeof LedgerSubject>
export const LedgerRow = Type.Object(
  {
    ...TransactionItem.properties,
    subject: describe(nullable(LedgerSubject), 'What the row is about; null: nothing with a page.'),
  },
  { title: 'LedgerRow' },
)
export type LedgerRow = Static<typeof LedgerRow>
export const LedgerRows = cursorListOf('LedgerRows', LedgerRow)
export type LedgerRows = Static<typeof LedgerRows>

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
