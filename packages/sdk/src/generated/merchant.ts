// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type {
  Currency,
  TransactionStatus,
  TransactionType,
  WalletBalance,
  WalletType,
} from './shared.ts'

export interface BudgetLevel {
  /** How much any such time may hold. */
  limit: number
  /** What the time until now holds. */
  used: number
  /** What is left. */
  remaining: number
  /** The time that is looked back over. */
  windowSeconds: number
  /** Until the oldest of what is used no longer counts; 0 when nothing is used. */
  resetSeconds: number
}

export interface CapLevel {
  /** The operationId of its route. */
  operation: string
  /** Its name in the RateLimit headers. */
  policy: string
  /** How much any such time may hold. */
  limit: number
  /** What the time until now holds. */
  used: number
  /** What is left. */
  remaining: number
  /** The time that is looked back over. */
  windowSeconds: number
  /** Until the oldest of what is used no longer counts; 0 when nothing is used. */
  resetSeconds: number
}

export interface FeesResponse {
  /** Your fee on sub-users’ buys, in basis points. */
  buyFeeBps: number
  /** Your fee on sub-users’ sells, in basis points. */
  sellFeeBps: number
  /** The service fee of sub-users without one of their own, in basis points. */
  childDefaultFeeBps: number | null
  /** The service fee where nothing else is agreed, in basis points. */
  globalDefaultFeeBps: number
  /** Service fee on a buy of a sub-user that has no fee of its own. */
  effectiveChildFeeBps: number
  /** Taken off the rate of the day when a fund or defund converts between currencies. */
  fxSpreadBps: number
}

export interface LimitsResponse {
  /** The tier of the request budget. */
  tier: 'standard' | 'premium' | 'enterprise'
  /** The budget of the minute. */
  budget: BudgetLevel
  /** Of the calling key. */
  caps: CapLevel[]
  /** Routes that cost more than one token. */
  costs: RouteCost[]
}

export interface LostOrder {
  /** Of the trade. The same buy under it, for the same trade URL, gets its trade back. */
  externalId: string | null
  /** Of the sub-user that bought; null when the merchant did. */
  userExternalId: string | null
  /** Of the item, as the platform names it. */
  marketHashName: string
  /** When the order was sent to its market. */
  at: string
  /** What was escrowed for it, in cents of the buyer’s wallet. */
  costCents: number
}

export interface MerchantKey {
  /** The id of this object. */
  id: string
  /** The name, for people. */
  name: string
  /** What the key may do. */
  scopes: ('read' | 'live' | 'buy' | 'sell' | 'deposit' | 'users' | 'funds' | 'payout')[]
  /** The only sub-users that the key acts for; null: no restriction. */
  accounts: string[] | null
  /** From then on the key is refused; null: never. */
  expiresAt: string | null
  /** The most that the key may spend in a day or a month; null: no limit. */
  spendLimit: SpendLimit | null
  /** US cents spent of the limit in the current day or month; 0 without a limit. */
  spentCents: number
  /** Networks from which the key may be used; empty: any. */
  allowlist: string[]
}

export interface MerchantProfile {
  /** The id of this object. */
  id: string
  /** Email address. */
  email: string
  /** Whether the address was confirmed. */
  emailVerified: boolean
  /** The country, as ISO 3166-1 alpha-2. */
  country: string | null
  /** The roles of the account. */
  roles: Role[]
  /** Whether log-ins need a second factor. */
  twoFactorEnabled: boolean
  /** The second factor; null without one. */
  twoFactorMethod: TwoFactorMethod | null
  /** Service fee on the merchant’s own buys. */
  feeBps: number
  /** The merchant’s cut on buys of its sub-users. */
  buyFeeBps: number
  /** The merchant’s cut on payouts of its sub-users’ sells. */
  sellFeeBps: number
  /** The service fee of sub-users without one of their own, in basis points. */
  childDefaultFeeBps: number | null
  /** The wallets of the account. */
  wallets: {
    /** The wallet that buys are paid from. */
    spot: WalletBalance | null
    /** The wallet that collects your fees. */
    earnings: WalletBalance | null
  }
  /** When it was created. */
  createdAt: string
}

export interface MerchantStats {
  /** Sums over all. */
  totals: MerchantTotals
  /** The same for each sub-user. */
  bySubUser: SubUserStats[]
  /** Trades by status; a status without trades is absent. */
  byStatus: TradeCounts
}

export interface MerchantTotals {
  /** Trades created in the range. */
  tradeCount: number
  /** The total price of the completed trades. */
  gmv: number
  /** The same in exact cents. */
  gmvCents: number
  /** The same in exact cents. */
  feesEarnedCents: number
  /** Your fees from the trades that settled. */
  feesEarned: number
  /** What the spot wallet has now. */
  spotBalance: number
  /** What the earnings wallet has now. */
  earningsBalance: number
  /** The currency of the amounts. */
  currency: Currency | null
}

export interface MerchantWallet {
  /** The id of the wallet. */
  walletId: string
  /** What kind of object this is. */
  type: WalletType
  /** The currency of the amounts. */
  currency: Currency
  /** What the wallet has. */
  balance: number
}

export interface Restore {
  /** What was committed after this moment is gone. */
  copyOf: string
  /** When the service noticed that it was restored. */
  restoredAt: string
  /**
   * Orders of the merchant and its sub-users that were sent to a market, and whose trades are
   * gone, oldest first; at most 10,000. Those that a repeated buy has brought back are not among
   * them.
   */
  lost: LostOrder[]
}

export interface RestoreList {
  /** The rows of this page, or the parts of this object. */
  items: Restore[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export type Role = 'user' | 'merchant' | 'admin'

export interface RouteCost {
  /** The operationId of the route. */
  operation: string
  /** The HTTP method. */
  method: string
  /** The path of the route. */
  path: string
  /** Tokens of the budget. */
  cost: number
  /** When the call costs another amount. */
  dearer?: {
    /** The query parameter. */
    query: string
    /** The value of the parameter. */
    equals: number
    /** Tokens when the query says this. */
    cost: number
  }
}

/**
 * The most that buys, fundings and payouts with the key may cost together in a UTC day or month,
 * less what is refunded within it.
 */
export interface SpendLimit {
  /** US cents. */
  amountCents: number
  /** A UTC calendar day or month. */
  window: 'day' | 'month'
}

export interface Statement {
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
  /** The wallets of the account. */
  wallets: WalletStatement[]
}

/** The fees within the prices of trades that settled in the month; 0 for the earnings wallet. */
export interface StatementFees {
  /** What the service earned. */
  house: number
  /** What the merchant or partner earned. */
  merchant: number
}

export interface StatementRow {
  /** What kind of object this is. */
  type: TransactionType
  /** How many ledger entries. */
  count: number
  /** The sum of what came in. */
  credit: number
  /** The sum of what went out. */
  debit: number
}

export interface SubUserStats {
  /** The sub-user. */
  subUserId: string
  /** Email address. */
  email: string | null
  /** Your own reference. */
  externalId: string | null
  /** Trades created in the range. */
  tradeCount: number
  /** The same in exact cents. */
  gmvCents: number
  /** The total price of the completed trades. */
  gmv: number
  /** What the wallet has. */
  balance: number
  /** Your fees from this sub-user’s trades, in cents. */
  feesContributedCents: number
}

/** Trades by status; a status without any may be missing. */
export interface TradeCounts {
  /** Trades that are accepted and not yet placed. */
  initiated?: number
  /** Trades that are placed at a market. */
  pending?: number
  /** Trades whose offer is out. */
  active?: number
  /** Trades that are delivered and in their hold. */
  hold?: number
  /** Trades that are settled. */
  completed?: number
  /** Trades that could not be placed or delivered. */
  failed?: number
  /** Trades canceled before their delivery. */
  canceled?: number
  /** Trades that the buyer declined or let expire. */
  declined?: number
  /** Trades whose delivery was taken back. */
  reverted?: number
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

/** The query of GET /merchant/stats. */
export interface GetMerchantStatsQuery {
  from?: string | undefined
  to?: string | undefined
}

/** The query of GET /merchant/restores. */
export interface ListRestoresQuery {
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /merchant/statements. */
export interface GetStatementQuery {
  /** A month in UTC; by default the current one. A future one is refused. */
  month?: string | undefined
  /** A sub-user’s UUID or externalId. By default the merchant’s own wallets. */
  subUserId?: string | undefined
}

/** The query of GET /merchant/ledger. */
export interface ListMerchantLedgerQuery {
  /**
   * With a filter a page may be short or empty while `nextCursor` is not null: each looks at
   * 10,000 rows at most.
   */
  type?: TransactionType | undefined
  /**
   * With a filter a page may be short or empty while `nextCursor` is not null: each looks at
   * 10,000 rows at most.
   */
  status?: TransactionStatus | undefined
  from?: string | undefined
  to?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
  /** The spot wallet unless this says otherwise. */
  walletType?: WalletType | undefined
}
