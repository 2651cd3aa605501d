import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import {
  Currency,
  DateTime,
  MoneyNumber,
  PositiveAmountString,
  TransactionStatus,
  TransactionType,
  Uuid,
  WalletType,
} from '../primitives.ts'
import { describe, nullable } from '../schema.ts'

export const WalletBalance = Type.Object(
  { currency: Currency, balance: MoneyNumber },
  { title: 'WalletBalance' },
)
export type WalletBalance = Static<typeof WalletBalance>

export const TransactionItem = Type.Object(
  {
    id: Uuid,
    type: TransactionType,
    description: Type.String(),
    status: TransactionStatus,
    amount: describe(MoneyNumber, 'Signed: plus is a credit, minus a debit.'),
    occurredAt: DateTime,
    externalRef: nullable(Type.String()),
  },
  { title: 'TransactionItem' },
)
export type TransactionItem = Static<typeof TransactionItem>

export const TransactionHistory = cursorListOf('TransactionHistory', TransactionItem)
export type TransactionHistory = Static<typeof TransactionHistory>

const LOOK =
  'With a filter a page may be short or empty while `nextCursor` is not null: each looks at 10,000 rows at most.'

const ledgerFilters = {
  type: Type.Optional(describe(TransactionType, LOOK)),
  status: Type.Optional(describe(TransactionStatus, LOOK)),
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
  ...cursorQuery,
}

export const LedgerQuery = Type.Object(ledgerFilters, { additionalProperties: false })
export type LedgerQuery = Static<typeof LedgerQuery>

export const MerchantLedgerQuery = Type.Object(
  {
    ...ledgerFilters,
    walletType: Type.Optional(describe(WalletType, 'The spot wallet unless this says otherwise.')),
  },
  { additionalProperties: false },
)
export type MerchantLedgerQuery = Static<typeof MerchantLedgerQuery>

/** Fund, defund and the transfer of earnings. */
export const FundBody = Type.Object(
  { amount: describe(PositiveAmountString, 'In the merchant’s currency.') },
  { title: 'FundBody', examples: [{ amount: '25.00' }], additionalProperties: false },
)
export type FundBody = Static<typeof FundBody>

export const FundResponse = Type.Object(
  {
    transactionId: describe(Uuid, 'The ledger row, the same in both accounts’ ledgers.'),
    idempotent: Type.Boolean({ description: 'True when this repeats an earlier answer.' }),
  },
  { title: 'FundResponse' },
)
export type FundResponse = Static<typeof FundResponse>
