// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Currency, Deposit, DepositStatus } from './shared.ts'

export interface CancelDepositResponse {
  depositId: string
  status: DepositStatus
}

export interface CreateDepositBody {
  quoteToken: string
  /** One of the chains that are listed for the quoted currency. */
  chain: string
}

export interface CreateDepositResponse {
  /** The id of the deposit. */
  fundingId: string
  status: DepositStatus
  /** Of the wallet. */
  currency: Currency
  /** Tokens, as a decimal string. */
  payAmountToken: string
  receiveAmountUsd: number
  receiveAmount: number
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number
  fee: number
  /** Unix milliseconds. */
  expireTime: number | null
  /** The provider’s payment page. */
  whitelabelUrl: string | null
  /** Where to pay. */
  onChain: {
    network: string
    token: string
    address: string
  }
}

export interface CreateOnrampBody {
  quoteToken: string
  /** Where the provider’s page returns to. */
  redirectUrl?: string | undefined
}

export interface CreateOnrampResponse {
  /** The id of the deposit. */
  fundingId: string
  status: DepositStatus
  /** The provider’s page, where the payer enters the card. */
  widgetUrl: string
  payAmount: number
  payCurrency: OnrampPayCurrency
  receiveAmountUsd: number
  receiveAmount: number
  /** Unix milliseconds. */
  expireTime: number
}

export interface CryptoAddressResponse {
  /** The same address on every chain. */
  address: string
  chains: CryptoEvmChain[]
  tokens: CryptoNativeToken[]
}

export type CryptoEvmChain = 'ethereum' | 'base' | 'arbitrum' | 'optimism' | 'bsc'

export type CryptoNativeToken = 'USDT' | 'USDC' | 'NATIVE'

export interface DepositChainsResponse {
  currencies: {
    currency: DepositCurrency
    chains: string[]
    isStable: boolean
    minDepositUsd: number
  }[]
}

export type DepositCurrency = 'USDT' | 'USDC' | 'DAI' | 'BTC' | 'ETH' | 'SOL'

export interface DepositList {
  items: Deposit[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export interface DepositQuoteBody {
  /** USD that the payer sends, fee included. */
  amount: string
  /** USDT unless it says otherwise. */
  currency?: DepositCurrency | undefined
}

export interface DepositQuoteResponse {
  token: DepositCurrency
  /** Of the wallet. */
  currency: Currency
  /** Tokens, as a decimal string. */
  payAmountToken: string
  receiveAmountUsd: number
  /** In the wallet’s currency, at the rate of now. */
  receiveAmount: number
  /** In USD. */
  fee: number
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number
  quoteToken: string
  /** How long the quote holds. */
  expiresIn: string
}

export type OnrampPayCurrency = 'USD' | 'EUR' | 'GBP'

/** Names exactly one of payAmount and receiveAmount. */
export type OnrampQuoteBody =
  | {
      /** What the card is charged. */
      payAmount: string
      payCurrency: OnrampPayCurrency
      /** ISO 3166, two letters. */
      countryCode?: string | undefined
      receiveAmount?: undefined
    }
  | {
      /** What the wallet receives, in its currency. */
      receiveAmount: string
      payCurrency: OnrampPayCurrency
      /** ISO 3166, two letters. */
      countryCode?: string | undefined
      payAmount?: undefined
    }

export interface OnrampQuoteResponse {
  quoteToken: string
  /** What the card is charged, in the pay currency. */
  payAmount: number
  payCurrency: OnrampPayCurrency
  /** In the wallet’s currency, at the rate of now. */
  receiveAmount: number
  receiveAmountUsd: number
  /** In the pay currency, part of payAmount. */
  fee: number
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number
  /** How long the quote holds. */
  expiresIn: string
}

/** The query of GET /user/wallet/deposits. */
export interface ListDepositsQuery {
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
