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
  withdrawalsTotal: number
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
  /** pending, queued, completed or refunded. */
  status: string
  timestamp: string
}

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
