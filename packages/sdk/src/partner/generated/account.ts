// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Order, OrderStatusCode } from './shared.ts'

export interface ChatAccount {
  /** The id of this object. */
  id: string
  /** The name at the chat platform. */
  username: string
  /** What distinguishes equal names there. */
  discriminator: string
  /** The hash of the picture there. */
  avatar: string | null
}

export type Currency = 'USD' | 'EUR'

export type EntryType =
  | 'deposit_credit'
  | 'withdrawal_debit'
  | 'trade_payment'
  | 'trade_refund'
  | 'trade_payout'
  | 'fee_credit'
  | 'fund_in'
  | 'fund_out'
  | 'transfer_in'
  | 'transfer_out'
  | 'adjustment'

export interface FeeConfiguration {
  /** Not used: null. */
  totalSpent: number | null
  /** Not used: null. */
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
  /** Not used: null. */
  progress: number | null
  /** The service fee was agreed for this account. */
  isCustom: boolean
  /** Whether a subscription lowers the fee. */
  isSubscribed: boolean
  /** The partner whose fee applies; null when it is the account’s own. */
  inheritedFrom: FeeSource | null
}

export interface FeeConfigurationResponse {
  /** What applies to the account. */
  fees: FeeConfiguration
  /** For people, and free to change. */
  message: string
}

/** The partner, when the service fee is the partner’s. */
export interface FeeSource {
  /** What kind of object this is. */
  type: 'ApiKey'
  /** The id of an account’s first API key, which names the account here. */
  id: string
}

export type LedgerDirection = 'credit' | 'debit' | 'neutral'

export interface LedgerResponse {
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
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
  /** What kind of object this is. */
  type: LedgerType
  /** Whether money came or went. */
  direction: LedgerDirection
  /** Never negative, in USD. */
  amount: number
  /** In USD. */
  balanceAfter: number
  /** The reference that the caller chose. */
  reference: string | null
  /** What it is, for people. */
  description: string
  /** When it happened. */
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

export interface PartnerStatement {
  /** The month, in UTC. */
  month: string
  /**
   * The month and a number that counts the account’s months without gaps from 0001; 0000 in every
   * month before the account existed, all zeros. Null while the month is open.
   */
  number: string | null
  /**
   * Whether the month is over. Its statement then never changes: later corrections are in the
   * month in which they are made.
   */
  closed: boolean
  /** The spot wallet, in USD. */
  wallets: WalletStatement[]
  /** For people, and free to change. */
  message: string
}

export interface Profile {
  /** The id of an account’s first API key, which names the account here. */
  id: string
  /** In USD. */
  balance: number
  /** The second factor of its log-in. */
  twoFactor: TwoFactor
  /** The subscription of the account. */
  subscription: Subscription
  /** The linked account of the chat platform; null without one. */
  chat: ChatAccount | null
}

export interface ProfileResponse {
  /** What the call was made with. */
  type: ProfileType
  /** The account of the key. */
  profile: Profile
  /** For people, and free to change. */
  message: string
}

export type ProfileType = 'user' | 'apiKey'

/** The fees within the prices of trades that settled in the month; 0 for the earnings wallet. */
export interface StatementFees {
  /** What the service earned. */
  house: number
  /** What the merchant or partner earned. */
  merchant: number
}

export interface StatementRow {
  /** As the dashboard shows it; the ledger’s `purchase` is `trade_payment`. */
  type: EntryType
  /** How many ledger entries. */
  count: number
  /** The sum of what came in. */
  credit: number
  /** The sum of what went out. */
  debit: number
}

export interface Subscription {
  /** Whether there is one. */
  active: boolean
  /** When it is billed next; null without one. */
  nextBilling: string | null
  /** Whether it ends with its period. */
  cancelAtPeriodEnd: boolean
}

export interface Transaction {
  /** Of a purchase the order’s id; of a refund the id of the refunded item. */
  id: string
  /** The catalogue’s id of the item. */
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
  /** What kind of object this is. */
  type: TransactionType
  /** Of the order. */
  status: OrderStatusCode
  /** When it happened. */
  timestamp: string
}

export interface TransactionStats {
  /** Orders that are COMPLETED. */
  completed: number
  /** Orders that are FAILED or REVERTED. */
  failed: number
}

export interface TransactionStatsResponse {
  /** Counts over all transactions. */
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
  /** Whether it is on. */
  enabled: boolean
  /** The second factor; null without one. */
  method: TwoFactorMethod | null
}

export type TwoFactorMethod = 'email' | 'totp'

export interface WalletStatement {
  /** Which wallet of the account. */
  wallet: WalletType
  /** The currency of the amounts. */
  currency: Currency
  /** The balance when the month began. */
  opening: number
  /** `opening` plus all credits less all debits. */
  closing: number
  /** One for each type of which there were entries. */
  rows: StatementRow[]
  /** What applies to the account. */
  fees: StatementFees
}

export type WalletType = 'spot' | 'earnings'

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

/** The query of GET /v1/user/statements. */
export interface GetStatementQuery {
  /** A month in UTC; by default the current one. A future one is refused. */
  month?: string | undefined
}
