// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { CryptoEvmChain, Currency, Deposit, DepositStatus } from './shared.ts'

export interface CancelDepositResponse {
  /** The deposit. */
  depositId: string
  /** The current status. */
  status: DepositStatus
}

export interface CreateDepositBody {
  /** The sealed quote: good once. */
  quoteToken: string
  /** One of the chains that are listed for the quoted currency. */
  chain: string
}

export interface CreateDepositResponse {
  /** The id of the deposit. */
  fundingId: string
  /** The current status. */
  status: DepositStatus
  /** Of the wallet. */
  currency: Currency
  /** Tokens, as a decimal string. */
  payAmountToken: string
  /** The same in US dollars. */
  receiveAmountUsd: number
  /** What the wallet receives, in its currency. */
  receiveAmount: number
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number
  /** The fee. */
  fee: number
  /** Unix milliseconds. */
  expireTime: number | null
  /** The provider’s payment page. */
  whitelabelUrl: string | null
  /** Where to pay. */
  onChain: {
    /** The chain, as the provider names it. */
    network: string
    /** The token. */
    token: string
    /** Where the payer sends the tokens. */
    address: string
  }
}

export interface CreateOnrampBody {
  /** The sealed quote: good once. */
  quoteToken: string
  /** Where the provider’s page returns to. */
  redirectUrl?: string | undefined
}

export interface CreateOnrampResponse {
  /** The id of the deposit. */
  fundingId: string
  /** The current status. */
  status: DepositStatus
  /** The provider’s page, where the payer enters the card. */
  widgetUrl: string
  /** What the payer pays. */
  payAmount: number
  /** The currency that the payer pays in. */
  payCurrency: OnrampPayCurrency
  /** The same in US dollars. */
  receiveAmountUsd: number
  /** What the wallet receives, in its currency. */
  receiveAmount: number
  /** Unix milliseconds. */
  expireTime: number
}

export interface CryptoAddressResponse {
  /** The same address on every chain. */
  address: string
  /** Chains that are accepted. */
  chains: CryptoEvmChain[]
  /** Tokens that are accepted. */
  tokens: CryptoNativeToken[]
}

export type CryptoNativeToken = 'USDT' | 'USDC' | 'NATIVE'

export interface DepositChainsResponse {
  /** What can be paid with. */
  currencies: {
    /** The currency of the amounts. */
    currency: DepositCurrency
    /** Chains that are accepted. */
    chains: string[]
    /** Whether the token follows the US dollar. */
    isStable: boolean
    /** The least deposit, in US dollars. */
    minDepositUsd: number
  }[]
}

export type DepositCurrency = 'USDT' | 'USDC' | 'DAI' | 'BTC' | 'ETH' | 'SOL'

export interface DepositList {
  /** The rows of this page, or the parts of this object. */
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
  /** The token. */
  token: DepositCurrency
  /** Of the wallet. */
  currency: Currency
  /** Tokens, as a decimal string. */
  payAmountToken: string
  /** The same in US dollars. */
  receiveAmountUsd: number
  /** In the wallet’s currency, at the rate of now. */
  receiveAmount: number
  /** In USD. */
  fee: number
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number
  /** The sealed quote: good once. */
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
      /** The currency that the payer pays in. */
      payCurrency: OnrampPayCurrency
      /** ISO 3166, two letters. */
      countryCode?: string | undefined
      receiveAmount?: undefined
    }
  | {
      /** What the wallet receives, in its currency. */
      receiveAmount: string
      /** The currency that the payer pays in. */
      payCurrency: OnrampPayCurrency
      /** ISO 3166, two letters. */
      countryCode?: string | undefined
      payAmount?: undefined
    }

export interface OnrampQuoteResponse {
  /** The sealed quote: good once. */
  quoteToken: string
  /** What the card is charged, in the pay currency. */
  payAmount: number
  /** The currency that the payer pays in. */
  payCurrency: OnrampPayCurrency
  /** In the wallet’s currency, at the rate of now. */
  receiveAmount: number
  /** The same in US dollars. */
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
