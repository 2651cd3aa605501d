// Money that comes in: quotes, orders, and the record of a deposit.
import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { DECIMAL_PATTERN } from '../patterns.ts'
import { Currency, DateTime, MoneyNumber, PositiveAmountString, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum, withExample } from '../schema.ts'

export const DEPOSIT_STATUSES = [
  'initiated',
  'pending',
  'completed',
  'partial',
  'expired',
  'cancelled',
  'refunded',
  'failed',
] as const
export const DepositStatus = stringEnum(DEPOSIT_STATUSES, { title: 'DepositStatus' })
export type DepositStatus = Static<typeof DepositStatus>

export const DEPOSIT_METHODS = ['gateway', 'onramp', 'crypto'] as const
export const DepositMethod = stringEnum(DEPOSIT_METHODS, { title: 'DepositMethod' })
export type DepositMethod = Static<typeof DepositMethod>

export const DEPOSIT_CURRENCIES = ['USDT', 'USDC', 'DAI', 'BTC', 'ETH', 'SOL'] as const
export const DepositCurrency = stringEnum(DEPOSIT_CURRENCIES, { title: 'DepositCurrency' })
export type DepositCurrency = Static<typeof DepositCurrency>

export const ONRAMP_PAY_CURRENCIES = ['USD', 'EUR', 'GBP'] as const
export const OnrampPayCurrency = stringEnum(ONRAMP_PAY_CURRENCIES, { title: 'OnrampPayCurrency' })
export type OnrampPayCurrency = Static<typeof OnrampPayCurrency>

export const CRYPTO_EVM_CHAINS = ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'] as const
export const CryptoEvmChain = stringEnum(CRYPTO_EVM_CHAINS, { title: 'CryptoEvmChain' })
export type CryptoEvmChain = Static<typeof CryptoEvmChain>

export const CRYPTO_NATIVE_TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
export const CryptoNativeToken = stringEnum(CRYPTO_NATIVE_TOKENS, { title: 'CryptoNativeToken' })
export type CryptoNativeToken = Static<typeof CryptoNativeToken>

const TokenAmount = Type.String({
  pattern: DECIMAL_PATTERN,
  examples: ['25.5'],
  description: 'Tokens, as a decimal string.',
})
const Rate = describe(
  MoneyNumber,
  'US dollars for one token, or for one unit of the currency that a card pays in.',
)
const QuoteToken = Type.String({
  minLength: 1,
  maxLength: 2048,
  examples: ['v1.1a2b3c4d.c2VhbGVk'],
})
const FundingId = describe(Uuid, 'The id of the deposit.')
const ExpiresIn = Type.String({ examples: ['5m'], description: 'How long the quote holds.' })

export const Deposit = Type.Object(
  {
    id: Uuid,
    userId: Uuid,
    userExternalId: nullable(Type.String()),
    method: DepositMethod,
    status: DepositStatus,
    currency: describe(Currency, 'Of the wallet.'),
    token: nullable(Type.String()),
    chain: nullable(Type.String()),
    payAmountToken: nullable(describe(TokenAmount, 'What was asked for, in tokens.')),
    receivedAmountToken: nullable(describe(TokenAmount, 'What has arrived and is confirmed.')),
    receiveAmountUsd: nullable(
      describe(MoneyNumber, 'What the quote promised, or what was credited, in USD.'),
    ),
    creditedAmount: nullable(
      describe(
        MoneyNumber,
        'In the wallet’s currency, less what was taken back. 0 when the account had been deleted: the ' +
          'money is put aside.',
      ),
    ),
    fee: nullable(describe(MoneyNumber, 'The provider’s, in USD.')),
    exchangeRate: nullable(Rate),
    address: nullable(Type.String()),
    txHash: nullable(Type.String()),
    confirmations: nullable(Type.Integer()),
    reason: nullable(
      describe(Type.String(), 'Why it failed, or what its provider is waiting for.'),
    ),
    expiresAt: nullable(DateTime),
    createdAt: DateTime,
    updatedAt: DateTime,
    completedAt: nullable(DateTime),
  },
  { title: 'Deposit' },
)
export type Deposit = Static<typeof Deposit>

export const DepositList = cursorListOf('DepositList', Deposit)
export type DepositList = Static<typeof DepositList>

export const DepositsQuery = Type.Object({ ...cursorQuery }, { additionalProperties: false })
export type DepositsQuery = Static<typeof DepositsQuery>

export const DepositParams = Type.Object({ id: Uuid })
export type DepositParams = Static<typeof DepositParams>

export const CancelDepositResponse = Type.Object(
  { depositId: Uuid, status: DepositStatus },
  { title: 'CancelDepositResponse' },
)
export type CancelDepositResponse = Static<typeof CancelDepositResponse>

// ---------------------------------------------------------------- gateway

export const DepositChainsResponse = Type.Object(
  {
    currencies: Type.Array(
      Type.Object({
        currency: DepositCurrency,
        chains: Type.Array(Type.String()),
        isStable: Type.Boolean(),
        minDepositUsd: MoneyNumber,
      }),
    ),
  },
  { title: 'DepositChainsResponse' },
)
export type DepositChainsResponse = Static<typeof DepositChainsResponse>

export const DepositQuoteBody = Type.Object(
  {
    amount: describe(PositiveAmountString, 'USD that the payer sends, fee included.'),
    currency: Type.Optional(describe(DepositCurrency, 'USDT unless it says otherwise.')),
  },
  {
    title: 'DepositQuoteBody',
    examples: [{ amount: '25.00', currency: 'USDT' }],
    additionalProperties: false,
  },
)
export type DepositQuoteBody = Static<typeof DepositQuoteBody>

export const DepositQuoteResponse = Type.Object(
  {
    token: DepositCurrency,
    currency: describe(Currency, 'Of the wallet.'),
    payAmountToken: TokenAmount,
    receiveAmountUsd: MoneyNumber,
    receiveAmount: describe(MoneyNumber, 'In the wallet’s currency, at the rate of now.'),
    fee: describe(MoneyNumber, 'In USD.'),
    exchangeRate: Rate,
    quoteToken: QuoteToken,
    expiresIn: ExpiresIn,
  },
  { title: 'DepositQuoteResponse' },
)
export type DepositQuoteResponse = Static<typeof DepositQuoteResponse>

export const CreateDepositBody = Type.Object(
  {
    quoteToken: QuoteToken,
    chain: Type.String({
      minLength: 1,
      maxLength: 64,
      examples: ['TRX'],
      description: 'One of the chains that are listed for the quoted currency.',
    }),
  },
  {
    title: 'CreateDepositBody',
    examples: [{ quoteToken: 'v1.1a2b3c4d.c2VhbGVk', chain: 'TRX' }],
    additionalProperties: false,
  },
)
export type CreateDepositBody = Static<typeof CreateDepositBody>

export const CreateDepositResponse = Type.Object(
  {
    fundingId: FundingId,
    status: DepositStatus,
    currency: describe(Currency, 'Of the wallet.'),
    payAmountToken: TokenAmount,
    receiveAmountUsd: MoneyNumber,
    receiveAmount: MoneyNumber,
    exchangeRate: Rate,
    fee: MoneyNumber,
    expireTime: nullable(Type.Integer({ description: 'Unix milliseconds.' })),
    whitelabelUrl: nullable(Type.String({ description: 'The provider’s payment page.' })),
    onChain: Type.Object(
      { network: Type.String(), token: Type.String(), address: Type.String() },
      { description: 'Where to pay.' },
    ),
  },
  { title: 'CreateDepositResponse' },
)
export type CreateDepositResponse = Static<typeof CreateDepositResponse>

// ---------------------------------------------------------------- on-ramp

export const OnrampQuoteBody = Type.Object(
  {
    payAmount: Type.Optional(describe(PositiveAmountString, 'What the card is charged.')),
    receiveAmount: Type.Optional(
      describe(PositiveAmountString, 'What the wallet receives, in its currency.'),
    ),
    payCurrency: OnrampPayCurrency,
    countryCode: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        examples: ['DE'],
        description: 'ISO 3166, two letters.',
      }),
    ),
  },
  {
    title: 'OnrampQuoteBody',
    description: 'Names exactly one of payAmount and receiveAmount.',
    // The empty properties are for validators that want to see what a branch requires.
    oneOf: [
      { required: ['payAmount'], properties: { payAmount: {} } },
      { required: ['receiveAmount'], properties: { receiveAmount: {} } },
    ],
    examples: [{ payAmount: '50.00', payCurrency: 'EUR' }],
    additionalProperties: false,
  },
)
export type OnrampQuoteBody = Static<typeof OnrampQuoteBody>

export const OnrampQuoteResponse = Type.Object(
  {
    quoteToken: QuoteToken,
    payAmount: describe(MoneyNumber, 'What the card is charged, in the pay currency.'),
    payCurrency: OnrampPayCurrency,
    receiveAmount: describe(MoneyNumber, 'In the wallet’s currency, at the rate of now.'),
    receiveAmountUsd: MoneyNumber,
    fee: describe(MoneyNumber, 'In the pay currency, part of payAmount.'),
    exchangeRate: Rate,
    expiresIn: ExpiresIn,
  },
  { title: 'OnrampQuoteResponse' },
)
export type OnrampQuoteResponse = Static<typeof OnrampQuoteResponse>

export const ReturnUrl = Type.String({
  pattern: '^https?://[^\\s"<>\\\\]{1,1000}$',
  maxLength: 1024,
  examples: ['https://shop.example/deposits/done'],
  description: 'Where the provider’s page returns to.',
})

export const CreateOnrampBody = Type.Object(
  {
    quoteToken: QuoteToken,
    redirectUrl: Type.Optional(ReturnUrl),
  },
  {
    title: 'CreateOnrampBody',
    examples: [
      { quoteToken: 'v1.1a2b3c4d.c2VhbGVk', redirectUrl: 'https://shop.example/deposits/done' },
    ],
    additionalProperties: false,
  },
)
export type CreateOnrampBody = Static<typeof CreateOnrampBody>

export const CreateOnrampResponse = Type.Object(
  {
    fundingId: FundingId,
    status: DepositStatus,
    widgetUrl: describe(Type.String(), 'The provider’s page, where the payer enters the card.'),
    payAmount: MoneyNumber,
    payCurrency: OnrampPayCurrency,
    receiveAmountUsd: MoneyNumber,
    receiveAmount: MoneyNumber,
    expireTime: Type.Integer({ description: 'Unix milliseconds.' }),
  },
  { title: 'CreateOnrampResponse' },
)
export type CreateOnrampResponse = Static<typeof CreateOnrampResponse>

// ---------------------------------------------------------------- chains

export const CryptoAddressResponse = Type.Object(
  {
    address: withExample(
      Type.String({ description: 'The same address on every chain.' }),
      '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
    ),
    chains: Type.Array(CryptoEvmChain),
    tokens: Type.Array(CryptoNativeToken),
  },
  { title: 'CryptoAddressResponse' },
)
export type CryptoAddressResponse = Static<typeof CryptoAddressResponse>
