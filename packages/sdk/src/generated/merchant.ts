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
  remaining: number
  /** The time that is looked back over. */
  windowSeconds: number
  /** Until the oldest of what is used no longer counts; 0 when nothing is used. */
  resetSeconds: number
}

export interface FeesResponse {
  buyFeeBps: number
  sellFeeBps: number
  childDefaultFeeBps: number | null
  globalDefaultFeeBps: number
  /** House fee on a buy of a sub-user that has no fee of its own. */
  effectiveChildFeeBps: number
  /** Taken off the rate of the day when a fund or defund converts between currencies. */
  fxSpreadBps: number
}

export interface LimitsResponse {
  tier: 'standard' | 'premium' | 'enterprise'
  budget: BudgetLevel
  /** Of the calling key. */
  caps: CapLevel[]
  costs: RouteCost[]
}

export interface MerchantProfile {
  id: string
  email: string
  emailVerified: boolean
  country: string | null
  roles: Role[]
  twoFactorEnabled: boolean
  twoFactorMethod: TwoFactorMethod | null
  /** House fee on the merchant’s own buys. */
  feeBps: number
  /** The merchant’s cut on buys of its sub-users. */
  buyFeeBps: number
  /** The merchant’s cut on payouts of its sub-users’ sells. */
  sellFeeBps: number
  childDefaultFeeBps: number | null
  wallets: {
    spot: WalletBalance | null
    earnings: WalletBalance | null
  }
  createdAt: string
}

export interface MerchantStats {
  totals: MerchantTotals
  bySubUser: SubUserStats[]
  byStatus: TradeCounts
}

export interface MerchantTotals {
  tradeCount: number
  gmv: number
  gmvCents: number
  feesEarnedCents: number
  feesEarned: number
  spotBalance: number
  earningsBalance: number
  currency: Currency | null
}

export interface MerchantWallet {
  walletId: string
  type: WalletType
  currency: Currency
  balance: number
}

export type Role = 'user' | 'merchant' | 'admin'

export interface RouteCost {
  /** The operationId of the route. */
  operation: string
  method: string
  path: string
  /** Tokens of the budget. */
  cost: number
  dearer?: {
    query: string
    equals: number
    /** Tokens when the query says this. */
    cost: number
  }
}

export interface SubUserStats {
  subUserId: string
  email: string | null
  externalId: string | null
  tradeCount: number
  gmvCents: number
  gmv: number
  balance: number
  feesContributedCents: number
}

/** Trades by status; a status without any may be missing. */
export interface TradeCounts {
  initiated?: number
  pending?: number
  active?: number
  hold?: number
  completed?: number
  failed?: number
  canceled?: number
  declined?: number
  reverted?: number
}

export type TwoFactorMethod = 'email' | 'totp'

/** The query of GET /merchant/stats. */
export interface GetMerchantStatsQuery {
  from?: string | undefined
  to?: string | undefined
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
