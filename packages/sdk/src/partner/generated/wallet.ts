// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface CancelDepositResponse {
  depositId: string
  status: DepositStatus
  /** For people, and free to change. */
  message: string
}

export interface CryptoChain {
  /** The `network` of a deposit. */
  name: string
  explorer_url: string | null
  display_name: string
}

export interface CryptoDepositBody {
  token: DepositToken
  /** US dollars that the payer sends, fee included; at most two decimals. */
  amount: number
  /** A name of the chains of the token. */
  network: string
}

export interface CryptoDepositResponse {
  depositId: string
  /** The gateway’s own id of the order. */
  prepayId: string
  /** What has to be paid. */
  payAmountToken: string
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
  fullCurrType: string
  /** Of the token. */
  symbol: string
  explorer_url: string | null
  display_name: string
}

export interface DepositRateOfToken {
  token: DepositToken
  isStable: boolean
  /** The smallest deposit, in USD. */
  minDepositUsd: number | null
  /** The same in tokens. */
  minDepositToken: string | null
  rate: DepositRate | null
  error?: 'RATE_UNAVAILABLE'
  chains: DepositRateChain[]
}

export interface DepositRatesResponse {
  /** The smallest deposit that the service takes, in USD. */
  baseUsdAmount: number
  /** A payment times this is what is credited: 1 less the highest gateway fee. */
  feeMultiplier: number
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
  network: string
  token: string
  fullCurrType: string
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
  depositId: string
  /** The deposit’s id as the on-ramp shows it. */
  merchantRecognitionId: string
  /** The page where the card is charged. */
  widgetUrl: string
  quote: OnrampQuote | null
  /** For people, and free to change. */
  message: string
}

export interface PendingWithdrawal {
  /** Of the withdrawal. */
  id: string
  status: 'pending'
  token: WithdrawalToken
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
  status: 'queued'
  queued: true
  /** For people, and free to change. */
  message: string
}

export interface WalletDeposit {
  id: string
  method: DepositMethod
  /** Credited, or before that what the quote promised, in USD. */
  amount: number
  currency: 'USD'
  token: string | null
  network: string | null
  /** Tokens, as a decimal string. */
  payAmountToken: string | null
  status: WalletStatus
  timestamp: string
}

export interface WalletResponse {
  /** In USD. */
  balance: number
  currency: 'USD'
  page: number
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
  id: string
  amount: number
  currency: 'USD'
  method: 'crypto'
  /** `queued` waits for liquidity, `pending` is on its way, `refunded` has returned to the wallet. */
  status: WithdrawalStatus
  timestamp: string
}

export interface WithdrawBody {
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
