// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Order, OrderStatusCode } from './shared.ts'

export interface ChatAccount {
  id: string
  username: string
  discriminator: string
  avatar: string | null
}

export interface FeeConfiguration {
  totalSpent: number | null
  tier: string | null
  /** Percent taken off the fees. */
  reduction: number
  /** Percent of the base price that a buy costs on top. */
  currentFee: number
  /** The service’s part of it. */
  platformFee: number
  /** The partner’s part of it. */
  partnerFee: number
  /** Percent of the amount of a withdrawal. */
  withdrawFee: number
  progress: number | null
  /** The house fee was agreed for this account. */
  isCustom: boolean
  isSubscribed: boolean
  inheritedFrom: FeeSource | null
}

export interface FeeConfigurationResponse {
  fees: FeeConfiguration
  /** For people, and free to change. */
  message: string
}

/** The partner, when the house fee is the partner’s. */
export interface FeeSource {
  type: 'ApiKey'
  /** The id of an account’s first API key, which names the account here. */
  id: string
}

export type LedgerDirection = 'credit' | 'debit' | 'neutral'

export interface LedgerResponse {
  page: number
  limit: number
  /** Rows that match. */
  total: number
  /** Newest first. */
  items: LedgerRow[]
  /** For people, and free to change. */
  message: string
}

export interface LedgerRow {
  /** The same row in the ledgers of both sides of a transfer. */
  id: string
  type: LedgerType
  direction: LedgerDirection
  /** Never negative, in USD. */
  amount: number
  /** In USD. */
  balanceAfter: number
  /** The reference that the caller chose. */
  reference: string | null
  description: string
  timestamp: string
}

export type LedgerType =
  | 'deposit'
  | 'withdrawal'
  | 'purchase'
  | 'refund'
  | 'transfer_in'
  | 'transfer_out'
  | 'fee'

export interface OrdersResponse {
  /** Orders of the account. */
  total: number
  /** Orders in this answer. */
  returned: number
  /** Newest first. */
  orders: Order[]
  /** For people, and free to change. */
  message: string
}

export interface Profile {
  /** The id of an account’s first API key, which names the account here. */
  id: string
  /** In USD. */
  balance: number
  twoFactor: TwoFactor
  subscription: Subscription
  chat: ChatAccount | null
}

export interface ProfileResponse {
  /** What the call was made with. */
  type: ProfileType
  profile: Profile
  /** For people, and free to change. */
  message: string
}

export type ProfileType = 'user' | 'apiKey'

export interface Subscription {
  active: boolean
  nextBilling: string | null
  cancelAtPeriodEnd: boolean
}

export interface Transaction {
  /** Of a purchase the order’s id; of a refund the id of the refunded item. */
  id: string
  itemId: string
  /** The market hash name. */
  itemName: string
  /** The item’s wear. */
  float: number | null
  /** Without fees, in USD. */
  price: number
  /** All fees, in USD. */
  fee: number
  /** Paid, or returned by a refund, in USD. */
  amount: number
  type: TransactionType
  /** Of the order. */
  status: OrderStatusCode
  timestamp: string
}

export interface TransactionStats {
  /** Orders that are COMPLETED. */
  completed: number
  /** Orders that are FAILED or REVERTED. */
  failed: number
}

export interface TransactionStatsResponse {
  stats: TransactionStats
  /** For people, and free to change. */
  message: string
}

export type TransactionType = 'purchase' | 'refund'

export interface TransactionsResponse {
  /** Purchases and refunds of the account. */
  total: number
  /** Newest first. */
  transactions: Transaction[]
  /** For people, and free to change. */
  message: string
}

export interface TwoFactor {
  enabled: boolean
  method: TwoFactorMethod | null
}

export type TwoFactorMethod = 'email' | 'totp'

/** The query of GET /v1/user/orders. */
export interface ListOrdersQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /v1/user/transactions. */
export interface ListTransactionsQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /v1/user/ledger. */
export interface ListLedgerQuery {
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  /**
   * Directions and types, separated by commas: credit, debit, neutral, deposit, withdrawal,
   * purchase, refund, transfer_in, transfer_out, fee. A row is shown when any fits.
   */
  type?: string | undefined
}
