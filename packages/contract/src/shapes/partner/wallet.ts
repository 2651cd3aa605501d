import { type Static, Type } from 'typebox'
import { PageNumber } from '../../lists.ts'
import { withMessage } from '../../partner-route.ts'
import { DECIMAL_PATTERN } from '../../patterns.ts'
import { DateTime, FilterText, MoneyNumber, Uuid } from '../../primitives.ts'
import { describe, nullable, stringEnum, withExample } from '../../schema.ts'
import { DEPOSIT_CURRENCIES, DEPOSIT_STATUSES, DepositMethod, DepositStatus } from '../deposit.ts'

export const PARTNER_DEPOSIT_TOKENS = [...DEPOSIT_CURRENCIES, 'POL'] as const
export const PartnerDepositToken = stringEnum(PARTNER_DEPOSIT_TOKENS, { title: 'DepositToken' })
export type PartnerDepositToken = Static<typeof PartnerDepositToken>

/** The states of a deposit, and what its provider says in more detail while it stands in one. */
export const PARTNER_WALLET_STATUSES = [
  ...DEPOSIT_STATUSES,
  'refund_rejected',
  'exchange_failed',
  'conversion_delay',
  'queued',
  'processing',
] as const
export const PartnerWalletStatus = stringEnum(PARTNER_WALLET_STATUSES, { title: 'WalletStatus' })
export type PartnerWalletStatus = Static<typeof PartnerWalletStatus>

const TokenAmount = Type.String({
  pattern: DECIMAL_PATTERN,
  examples: ['25.5'],
  description: 'Tokens, as a decimal string.',
})

export const PartnerWalletQuery = Type.Object(
  {
    page: PageNumber,
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 25,
      description: 'Rows in one answer.',
    }),
    status: Type.Optional(PartnerWalletStatus),
  },
  { additionalProperties: false },
)
export type PartnerWalletQuery = Static<typeof PartnerWalletQuery>

export const PartnerDeposit = Type.Object(
  {
    id: Uuid,
    method: DepositMethod,
    amount: describe(MoneyNumber, 'Credited, or before that what the quote promised, in USD.'),
    currency: Type.Unsafe<'USD'>({ type: 'string', const: 'USD' }),
    token: nullable(Type.String()),
    network: nullable(Type.String()),
    payAmountToken: nullable(TokenAmount),
    status: PartnerWalletStatus,
    timestamp: DateTime,
  },
  { title: 'WalletDeposit' },
)
export type PartnerDeposit = Static<typeof PartnerDeposit>

export const PartnerWithdrawal = Type.Object(
  {
    id: Uuid,
    amount: MoneyNumber,
    currency: Type.Unsafe<'USD'>({ type: 'string', const: 'USD' }),
    method: Type.Unsafe<'crypto'>({ type: 'string', const: 'crypto' }),
    status: Type.String({ description: 'pending, queued, completed or refunded.' }),
    timestamp: DateTime,
  },
  { title: 'WalletWithdrawal' },
)
export type PartnerWithdrawal = Static<typeof PartnerWithdrawal>

export const PartnerWalletResponse = withMessage('WalletResponse', {
  balance: describe(MoneyNumber, 'In USD.'),
  currency: Type.Unsafe<'USD'>({ type: 'string', const: 'USD' }),
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer({ description: 'Deposits that match.' }),
  deposits: Type.Array(PartnerDeposit, { description: 'Newest first.' }),
  withdrawalsTotal: Type.Integer(),
  withdrawals: Type.Array(PartnerWithdrawal),
})
export type PartnerWalletResponse = Static<typeof PartnerWalletResponse>

export const PartnerDepositParams = Type.Object({ depositId: Uuid })
export type PartnerDepositParams = Static<typeof PartnerDepositParams>

export const PartnerCancelDepositResponse = withMessage('CancelDepositResponse', {
  depositId: Uuid,
  status: DepositStatus,
})
export type PartnerCancelDepositResponse = Static<typeof PartnerCancelDepositResponse>

export const CryptoChainsQuery = Type.Object(
  { currency: PartnerDepositToken },
  { additionalProperties: false },
)
export type CryptoChainsQuery = Static<typeof CryptoChainsQuery>

export const CryptoChain = Type.Object(
  {
    name: Type.String({ description: 'The `network` of a deposit.' }),
    explorer_url: nullable(Type.String()),
    display_name: Type.String(),
  },
  { title: 'CryptoChain' },
)

export const CryptoChainsResponse = Type.Array(CryptoChain)
export type CryptoChainsResponse = Static<typeof CryptoChainsResponse>

export const CryptoDepositBody = Type.Object(
  {
    token: PartnerDepositToken,
    amount: Type.Number({
      minimum: 0.01,
      maximum: 1_000_000,
      examples: [25],
      description: 'US dollars that the payer sends, fee included; at most two decimals.',
    }),
    network: withExample(describe(FilterText, 'A name of the chains of the token.'), 'TRX'),
  },
  {
    title: 'CryptoDepositBody',
    additionalProperties: false,
    examples: [{ token: 'USDT', amount: 25, network: 'TRX' }],
  },
)
export type CryptoDepositBody = Static<typeof CryptoDepositBody>

export const CryptoDepositResponse = withMessage('CryptoDepositResponse', {
  depositId: Uuid,
  prepayId: Type.String({ description: 'The gateway’s own id of the order.' }),
  payAmountToken: describe(TokenAmount, 'What has to be paid.'),
  payAmountUsd: MoneyNumber,
  netTokenAmount: describe(TokenAmount, 'What of it is credited.'),
  grossTokenAmount: TokenAmount,
  platformFeeRate: Type.Number({ description: 'The service’s own share, percent.' }),
  gatewayFee: describe(MoneyNumber, 'The gateway’s, in USD.'),
  expireTime: nullable(Type.Integer({ description: 'Unix milliseconds.' })),
  gateQR: nullable(Type.String({ description: 'The content of a QR code.' })),
  gateWhiteLabel: nullable(Type.String({ description: 'The gateway’s own page.' })),
  onChain: Type.Object(
    {
      network: Type.String(),
      token: Type.String(),
      fullCurrType: Type.String(),
      address: Type.String(),
    },
    { title: 'OnChain' },
  ),
})
export type CryptoDepositResponse = Static<typeof CryptoDepositResponse>
