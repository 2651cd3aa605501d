// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface CancelDepositResponse {
  /** The deposit. */
  depositId: string
  /** The current status. */
  status: DepositStatus
  /** For people, and free to change. */
  message: string
}

export interface CryptoChain {
  /** The `network` of a deposit. */
  name: string
  /** The explorer of the chain; null when there is none. */
  explorer_url: string | null
  /** The chain, for people. */
  display_name: string
}

export interface CryptoDepositBody {
  /** The token. */
  token: DepositToken
  /** US dollars that the payer sends, fee included; at most two decimals. */
  amount: number
  /** A name of the chains of the token. */
  network: string
}

export interface CryptoDepositResponse {
  /** The deposit. */
  depositId: string
  /** The gateway’s own id of the order. */
  prepayId: string
  /** What has to be paid. */
  payAmountToken: string
  /** The same in US dollars. */
  payAmountUsd: number
  /** What of it is credited. */
  netTokenAmount: string
  /** Tokens, as a decimal string. */
  grossTokenAmount: string
  /** The service’s own share, percent. */
  platformFeeRate: number
  /** The gateway’s, in USD. */
  gatewayFee: number
  /** Unix milliseconds. */
  expireTime: number | null
  /** The content of a QR code. */
  gateQR: string | null
  /** The gateway’s own page. */
  gateWhiteLabel: string | null
  /** What the payer sends, and where to. */
  onChain: OnChain
  /** For people, and free to change. */
  message: string
}

export type DepositMethod = 'gateway' | 'onramp' | 'crypto'

export interface DepositRate {
  /** US dollars for one token, before fees. */
  usdPerToken: number
  /** The same the other way round. */
  tokensPerUsd: number
  /** Percent that the gateway keeps of a payment. */
  gatewayFeeRate: number
}

export interface DepositRateChain {
  /** The `network` of a deposit. */
  chain: string
  /** Token and chain as the provider names them together. */
  fullCurrType: string
  /** Of the token. */
  symbol: string
  /** The explorer of the chain; null when there is none. */
  explorer_url: string | null
  /** The chain, for people. */
  display_name: string
}

export interface DepositRateOfToken {
  /** The token. */
  token: DepositToken
  /** Whether the token follows the US dollar. */
  isStable: boolean
  /** The smallest deposit, in USD. */
  minDepositUsd: number | null
  /** The same in tokens. */
  minDepositToken: string | null
  /** What the token is worth; null when it is not known. */
  rate: DepositRate | null
  /** Present when no rate is known. */
  error?: 'RATE_UNAVAILABLE'
  /** Chains that are accepted. */
  chains: DepositRateChain[]
}

export interface DepositRatesResponse {
  /** The smallest deposit that the service takes, in USD. */
  baseUsdAmount: number
  /** A payment times this is what is credited: 1 less the highest gateway fee. */
  feeMultiplier: number
  /** What can be paid with. */
  currencies: DepositRateOfToken[]
}

export type DepositStatus =
  | 'initiated'
  | 'pending'
  | 'completed'
  | 'partial'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'failed'

export type DepositToken = 'USDT' | 'USDC' | 'DAI' | 'BTC' | 'ETH' | 'SOL' | 'POL'

export interface OnChain {
  /** The chain, as the provider names it. */
  network: string
  /** The token. */
  token: string
  /** Token and chain as the provider names them together. */
  fullCurrType: string
  /** Where the payer sends the tokens. */
  address: string
}

/** As the on-ramp publishes it, at most five minutes old. */
export type OnrampConfiguration = Record<string, unknown>

export interface OnrampQuote {
  /** What the card is charged, fee included. */
  fiatAmount: number
  /** What the card pays in: 12 EUR, 20 GBP, 21 USD. */
  fiatType: 12 | 20 | 21
  /** What is bought. */
  coinCode: 'usdt' | 'usdc'
  /** The chain, as the provider names it. */
  network: string
  /** Units of the card’s currency for one coin, before the fee. */
  rate: number
  /** The on-ramp’s, in the currency of the card. */
  fee: number
  /** Coins that arrive: what is credited, in USD. */
  coinAmount: number
  /** How long it holds. */
  expiresIn: string
}

export interface OnrampQuoteBody {
  /** What the card is charged; at most two decimals. */
  fiatAmount: number
  /** What the card pays in: 12 EUR, 20 GBP, 21 USD. */
  fiatType: 12 | 20 | 21
  /** 1: buying. */
  type: 1
  /** What is bought. */
  coinCode: 'usdt' | 'usdc'
  /** A network of `allConfigMapping`. */
  network: string
  /** ISO 3166, two letters. */
  countryCode?: string | undefined
}

export interface OnrampSessionBody {
  /** 54 usdt, 116 usdc. */
  coinId?: 54 | 116 | undefined
  /** What is bought. */
  coinCode?: 'usdt' | 'usdc' | undefined
  /** The number of a network, as `allConfigMapping` has it. */
  chainId?: 0 | 1 | 2 | 13 | 16 | 17 | undefined
  /** A network of `allConfigMapping`. */
  network?: string | undefined
  /** What the card pays in: 12 EUR, 20 GBP, 21 USD. */
  fiatType: 12 | 20 | 21
  /** What the card is charged; at most two decimals. */
  fiatAmount?: number | undefined
  /** What arrives, when no fiatAmount is named; at most two decimals. */
  coinAmount?: number | undefined
  /** 1: buying. */
  type?: 1 | undefined
  /** 1 card or instant, 2 bank transfer. */
  paymentMethod?: 1 | 2 | undefined
  /** Where the provider’s page returns to. */
  redirectUrl?: string | null | undefined
}

export interface OnrampSessionResponse {
  /** The deposit. */
  depositId: string
  /** The deposit’s id as the on-ramp shows it. */
  merchantRecognitionId: string
  /** The page where the card is charged. */
  widgetUrl: string
  /** What the payment is worth. */
  quote: OnrampQuote | null
  /** For people, and free to change. */
  message: string
}

export interface PendingWithdrawal {
  /** Of the withdrawal. */
  id: string
  /** The current status. */
  status: 'pending'
  /** The token. */
  token: WithdrawalToken
  /** The fee. */
  fee: WithdrawalFee
  /** What the address receives, in USD. */
  receiveAmount: number
  /** The reference of the payment: the id again. */
  withdraw_exchange_id: string
  /** For people, and free to change. */
  message: string
}

export interface QueuedWithdrawal {
  /** Of the withdrawal. */
  id: string
  /** The current status. */
  status: 'queued'
  /** True: it waits for liquidity and proceeds by itself. */
  queued: true
  /** For people, and free to change. */
  message: string
}

export interface WalletDeposit {
  /** The id of this object. */
  id: string
  /** How the money moves. */
  method: DepositMethod
  /** Credited, or before that what the quote promised, in USD. */
  amount: number
  /** The currency of the amounts. */
  currency: 'USD'
  /** The token. */
  token: string | null
  /** The chain, as the provider names it. */
  network: string | null
  /** Tokens, as a decimal string. */
  payAmountToken: string | null
  /** The current status. */
  status: WalletStatus
  /** When it happened. */
  timestamp: string
}

export interface WalletResponse {
  /** In USD. */
  balance: number
  /** The currency of the amounts. */
  currency: 'USD'
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** Deposits that match. */
  total: number
  /** Newest first. */
  deposits: WalletDeposit[]
  /** Withdrawals that match. */
  withdrawalsTotal: number
  /** Newest first. */
  withdrawals: WalletWithdrawal[]
  /** For people, and free to change. */
  message: string
}

export type WalletStatus =
  | 'initiated'
  | 'pending'
  | 'completed'
  | 'partial'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'failed'
  | 'refund_rejected'
  | 'exchange_failed'
  | 'conversion_delay'
  | 'queued'
  | 'processing'

export interface WalletWithdrawal {
  /** The id of this object. */
  id: string
  /** The amount. */
  amount: number
  /** The currency of the amounts. */
  currency: 'USD'
  /** How the money moves. */
  method: 'crypto'
  /** `queued` waits for liquidity, `pending` is on its way, `refunded` has returned to the wallet. */
  status: WithdrawalStatus
  /** When it happened. */
  timestamp: string
}

export interface WithdrawBody {
  /** The token. */
  token: WithdrawalToken
  /** `ethereum`, `base`, `arbitrum`, `optimism` or `bsc`. */
  network: string
  /** An address outside of the service. In mixed case it must have a valid EIP-55 checksum. */
  address: string
  /**
   * US dollars that leave the wallet, both fees included: 1.00 to 100,000.00, at most two
   * decimals.
   */
  amount: number
}

export interface WithdrawFee {
  /** The `network` of a withdrawal. */
  name: string
  /** What a transfer costs now, in USD. */
  fee: number
}

export interface WithdrawalFee {
  /** What the transfer costs, in USD, fixed now. */
  network: number
  /** The service’s share, in USD. */
  site: number
  /** Both, in USD. */
  total: number
}

export type WithdrawalStatus = 'pending' | 'queued' | 'completed' | 'refunded'

export type WithdrawalToken = 'USDT' | 'USDC'

/** The query of GET /v1/user/wallet. */
export interface GetWalletQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  status?: WalletStatus | undefined
}

/** The query of GET /v1/user/wallet/deposit/crypto/chains. */
export interface ListCryptoChainsQuery {
  currency: DepositToken
}

/** The query of GET /v1/user/wallet/withdraw/fees. */
export interface ListWithdrawFeesQuery {
  currency: WithdrawalToken
}
