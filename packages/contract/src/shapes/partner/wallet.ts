import { type Static, Type } from 'typebox'
import { PageNumber } from '../../lists.ts'
import { withMessage } from '../../partner-route.ts'
import { DECIMAL_PATTERN, TEXT_PATTERN } from '../../patterns.ts'
import { DateTime, FilterText, MoneyNumber, Uuid } from '../../primitives.ts'
import { describe, nullable, stringEnum, withExample } from '../../schema.ts'
import {
  DEPOSIT_CURRENCIES,
  DEPOSIT_STATUSES,
  DepositMethod,
  DepositStatus,
  ReturnUrl,
} from '../deposit.ts'
import { ChainName } from '../payout.ts'

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

export const PARTNER_WITHDRAWAL_STATUSES = [
  'pending',
  'queued',
  'completed',
  'refunded',
] as const satisfies readonly PartnerWalletStatus[]
export const PartnerWithdrawalStatus = stringEnum(PARTNER_WITHDRAWAL_STATUSES, {
  title: 'WithdrawalStatus',
})
export type PartnerWithdrawalStatus = Static<typeof PartnerWithdrawalStatus>

export const PartnerWithdrawal = Type.Object(
  {
    id: Uuid,
    amount: MoneyNumber,
    currency: Type.Unsafe<'USD'>({ type: 'string', const: 'USD' }),
    method: Type.Unsafe<'crypto'>({ type: 'string', const: 'crypto' }),
    status: describe(
      PartnerWithdrawalStatus,
      '`queued` waits for liquidity, `pending` is on its way, `refunded` has returned to the wallet.',
    ),
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
  withdrawalsTotal: Type.Integer({ description: 'Withdrawals that match.' }),
  withdrawals: Type.Array(PartnerWithdrawal, { description: 'Newest first.' }),
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

// ---------------------------------------------------------------- rates

const DepositRate = Type.Object(
  {
    usdPerToken: Type.Number({ description: 'US dollars for one token, before fees.' }),
    tokensPerUsd: Type.Number({ description: 'The same the other way round.' }),
    gatewayFeeRate: Type.Number({ description: 'Percent that the gateway keeps of a payment.' }),
  },
  { title: 'DepositRate' },
)

export const DepositRateOfToken = Type.Object(
  {
    token: PartnerDepositToken,
    isStable: Type.Boolean(),
    minDepositUsd: nullable(describe(MoneyNumber, 'The smallest deposit, in USD.')),
    minDepositToken: nullable(describe(TokenAmount, 'The same in tokens.')),
    rate: nullable(DepositRate),
    error: Type.Optional(stringEnum(['RATE_UNAVAILABLE'])),
    chains: Type.Array(
      Type.Object(
        {
          chain: Type.String({ description: 'The `network` of a deposit.' }),
          fullCurrType: Type.String(),
          symbol: Type.String({ description: 'Of the token.' }),
          explorer_url: nullable(Type.String()),
          display_name: Type.String(),
        },
        { title: 'DepositRateChain' },
      ),
    ),
  },
  { title: 'DepositRateOfToken' },
)
export type DepositRateOfToken = Static<typeof DepositRateOfToken>

export const DepositRatesResponse = Type.Object(
  {
    baseUsdAmount: describe(MoneyNumber, 'The smallest deposit that the service takes, in USD.'),
    feeMultiplier: Type.Number({
      description: 'A payment times this is what is credited: 1 less the highest gateway fee.',
    }),
    currencies: Type.Array(DepositRateOfToken),
  },
  { title: 'DepositRatesResponse' },
)
export type DepositRatesResponse = Static<typeof DepositRatesResponse>

// ---------------------------------------------------------------- withdrawals

export const PARTNER_WITHDRAWAL_TOKENS = ['USDT', 'USDC'] as const
export const PartnerWithdrawalToken = stringEnum(PARTNER_WITHDRAWAL_TOKENS, {
  title: 'WithdrawalToken',
})
export type PartnerWithdrawalToken = Static<typeof PartnerWithdrawalToken>

const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const WithdrawBody = Type.Object(
  {
    token: PartnerWithdrawalToken,
    network: ChainName,
    address: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: TEXT_PATTERN,
      examples: [RECIPIENT],
      description:
        'An address outside of the service. In mixed case it must have a valid EIP-55 checksum.',
    }),
    amount: Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      examples: [25],
      description:
        'US dollars that leave the wallet, both fees included: 1.00 to 100,000.00, at most two decimals.',
    }),
  },
  {
    title: 'WithdrawBody',
    additionalProperties: false,
    examples: [{ token: 'USDT', network: 'base', address: RECIPIENT, amount: 25 }],
  },
)
export type WithdrawBody = Static<typeof WithdrawBody>

const Id = describe(Uuid, 'Of the withdrawal.')

export const PendingWithdrawal = withMessage('PendingWithdrawal', {
  id: Id,
  status: Type.Unsafe<'pending'>({ type: 'string', const: 'pending' }),
  token: PartnerWithdrawalToken,
  fee: Type.Object(
    {
      network: describe(MoneyNumber, 'What the transfer costs, in USD, fixed now.'),
      site: describe(MoneyNumber, 'The service’s share, in USD.'),
      total: describe(MoneyNumber, 'Both, in USD.'),
    },
    { title: 'WithdrawalFee' },
  ),
  receiveAmount: describe(MoneyNumber, 'What the address receives, in USD.'),
  withdraw_exchange_id: describe(Uuid, 'The reference of the payment: the id again.'),
})

export const QueuedWithdrawal = withMessage('QueuedWithdrawal', {
  id: Id,
  status: Type.Unsafe<'queued'>({ type: 'string', const: 'queued' }),
  queued: Type.Unsafe<true>({ type: 'boolean', const: true }),
})

export const WithdrawResponse = Type.Union([PendingWithdrawal, QueuedWithdrawal])
export type WithdrawResponse = Static<typeof WithdrawResponse>

export const WithdrawFeesQuery = Type.Object(
  { currency: PartnerWithdrawalToken },
  { additionalProperties: false },
)
export type WithdrawFeesQuery = Static<typeof WithdrawFeesQuery>

export const WithdrawFeesResponse = Type.Array(
  Type.Object(
    {
      name: Type.String({ description: 'The `network` of a withdrawal.' }),
      fee: describe(MoneyNumber, 'What a transfer costs now, in USD.'),
    },
    { title: 'WithdrawFee' },
  ),
)
export type WithdrawFeesResponse = Static<typeof WithdrawFeesResponse>

// ---------------------------------------------------------------- on-ramp

/** The on-ramp's own numbers of what it sells, and for which money. */
export const ONRAMP_COIN_IDS = { usdt: 54, usdc: 116 } as const
export const ONRAMP_FIAT_TYPES = { EUR: 12, GBP: 20, USD: 21 } as const

const integerEnum = <const Values extends readonly number[]>(values: Values, description: string) =>
  Type.Unsafe<Values[number]>({ type: 'integer', enum: [...values], description })

const FiatType = withExample(
  integerEnum(Object.values(ONRAMP_FIAT_TYPES), 'What the card pays in: 12 EUR, 20 GBP, 21 USD.'),
  21,
)
const CoinCode = stringEnum(['usdt', 'usdc'], { description: 'What is bought.' })
const CardAmount = Type.Number({ minimum: 0.01, maximum: 1_000_000, examples: [50] })
const Buying = integerEnum([1], '1: buying.')
const OnrampNetwork = withExample(describe(FilterText, 'A network of `allConfigMapping`.'), 'bep20')
const CountryCode = Type.String({
  pattern: '^[A-Z]{2}$',
  examples: ['DE'],
  description: 'ISO 3166, two letters.',
})

export const PartnerOnrampQuoteBody = Type.Object(
  {
    fiatAmount: describe(CardAmount, 'What the card is charged; at most two decimals.'),
    fiatType: FiatType,
    type: Buying,
    coinCode: CoinCode,
    network: OnrampNetwork,
    countryCode: Type.Optional(CountryCode),
  },
  {
    title: 'OnrampQuoteBody',
    additionalProperties: false,
    examples: [{ fiatAmount: 50, fiatType: 21, type: 1, coinCode: 'usdt', network: 'bep20' }],
  },
)
export type PartnerOnrampQuoteBody = Static<typeof PartnerOnrampQuoteBody>

export const PartnerOnrampQuote = Type.Object(
  {
    fiatAmount: describe(MoneyNumber, 'What the card is charged, fee included.'),
    fiatType: FiatType,
    coinCode: CoinCode,
    network: Type.String(),
    rate: Type.Number({
      description: 'Units of the card’s currency for one coin, before the fee.',
    }),
    fee: describe(MoneyNumber, 'The on-ramp’s, in the currency of the card.'),
    coinAmount: describe(MoneyNumber, 'Coins that arrive: what is credited, in USD.'),
    expiresIn: Type.String({ examples: ['5m'], description: 'How long it holds.' }),
  },
  { title: 'OnrampQuote' },
)
export type PartnerOnrampQuote = Static<typeof PartnerOnrampQuote>

export const OnrampSessionBody = Type.Object(
  {
    coinId: Type.Optional(integerEnum(Object.values(ONRAMP_COIN_IDS), '54 usdt, 116 usdc.')),
    coinCode: Type.Optional(CoinCode),
    chainId: Type.Optional(
      integerEnum([0, 1, 2, 13, 16, 17], 'The number of a network, as `allConfigMapping` has it.'),
    ),
    network: Type.Optional(OnrampNetwork),
    fiatType: FiatType,
    fiatAmount: Type.Optional(
      describe(CardAmount, 'What the card is charged; at most two decimals.'),
    ),
    coinAmount: Type.Optional(
      describe(CardAmount, 'What arrives, when no fiatAmount is named; at most two decimals.'),
    ),
    type: Type.Optional(Buying),
    paymentMethod: Type.Optional(integerEnum([1, 2], '1 card or instant, 2 bank transfer.')),
    redirectUrl: Type.Optional(nullable(ReturnUrl)),
  },
  {
    title: 'OnrampSessionBody',
    additionalProperties: false,
    anyOf: [
      { required: ['fiatAmount'], properties: { fiatAmount: {} } },
      { required: ['coinAmount'], properties: { coinAmount: {} } },
    ],
    examples: [{ coinCode: 'usdt', network: 'bep20', fiatType: 21, fiatAmount: 50, type: 1 }],
  },
)
export type OnrampSessionBody = Static<typeof OnrampSessionBody>

export const OnrampSessionResponse = withMessage('OnrampSessionResponse', {
  depositId: Uuid,
  merchantRecognitionId: Type.String({ description: 'The deposit’s id as the on-ramp shows it.' }),
  widgetUrl: Type.String({ description: 'The page where the card is charged.' }),
  quote: nullable(PartnerOnrampQuote),
})
export type OnrampSessionResponse = Static<typeof OnrampSessionResponse>

export const OnrampConfigurationResponse = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'OnrampConfiguration',
  description: 'As the on-ramp publishes it, at most five minutes old.',
})
