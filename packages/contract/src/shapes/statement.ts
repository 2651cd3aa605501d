import { type Static, type TSchema, Type } from 'typebox'
import { withMessage } from '../partner-route.ts'
import { MONTH_PATTERN } from '../patterns.ts'
import {
  Currency,
  MoneyNumber,
  TRANSACTION_TYPES,
  TransactionType,
  UserReference,
  WalletType,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

export const Month = Type.String({ pattern: MONTH_PATTERN, examples: ['2026-10'] })

const rowOf = <T extends TSchema>(type: T) =>
  Type.Object(
    {
      type,
      count: Type.Integer({ description: 'How many ledger entries.' }),
      credit: describe(MoneyNumber, 'The sum of what came in.'),
      debit: describe(MoneyNumber, 'The sum of what went out.'),
    },
    { title: 'StatementRow' },
  )

const walletOf = <T extends TSchema>(type: T) =>
  Type.Object(
    {
      wallet: describe(WalletType, 'Which wallet of the account.'),
      currency: Currency,
      opening: describe(MoneyNumber, 'The balance when the month began.'),
      closing: describe(MoneyNumber, '`opening` plus all credits less all debits.'),
      rows: Type.Array(rowOf(type), {
        description: 'One for each type of which there were entries.',
      }),
      fees: Type.Object(
        {
          house: describe(MoneyNumber, 'What the service earned.'),
          merchant: describe(MoneyNumber, 'What the merchant or partner earned.'),
        },
        {
          title: 'StatementFees',
          description:
            'The fees within the prices of trades that settled in the month; 0 for the earnings wallet.',
        },
      ),
    },
    { title: 'WalletStatement' },
  )

export const Statement = Type.Object(
  {
    month: describe(Month, 'The month, in UTC.'),
    number: describe(
      nullable(Type.String({ examples: ['2026-10-0003'] })),
      'The month and a number that counts the account’s months without gaps from 0001; 0000 in every month before the account existed, all zeros. Null while the month is open.',
    ),
    closed: Type.Boolean({
      description:
        'Whether the month is over. Its statement then never changes: later corrections are in the month in which they are made.',
    }),
    wallets: Type.Array(walletOf(TransactionType)),
  },
  { title: 'Statement' },
)
export type Statement = Static<typeof Statement>

const month = Type.Optional(
  describe(Month, 'A month in UTC; by default the current one. A future one is refused.'),
)

export const StatementQuery = Type.Object(
  {
    month,
    subUserId: Type.Optional(
      describe(
        UserReference,
        'A sub-user’s UUID or externalId. By default the merchant’s own wallets.',
      ),
    ),
  },
  { additionalProperties: false },
)
export type StatementQuery = Static<typeof StatementQuery>

// The partner interface's ledger has coarser types of its own.
const PartnerEntryType = stringEnum(TRANSACTION_TYPES, {
  title: 'EntryType',
  description: 'As the dashboard shows it; the ledger’s `purchase` is `trade_payment`.',
})

export const PartnerStatement = withMessage('PartnerStatement', {
  ...Statement.properties,
  wallets: Type.Array(walletOf(PartnerEntryType), { description: 'The spot wallet, in USD.' }),
})
export type PartnerStatement = Static<typeof PartnerStatement>

export const PartnerStatementQuery = Type.Object({ month }, { additionalProperties: false })
export type PartnerStatementQuery = Static<typeof PartnerStatementQuery>
