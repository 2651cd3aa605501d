// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Currency, TransactionStatus, TransactionType, WalletType } from './shared.ts'

export interface CreateSubUserBody {
  /** Email address. */
  email?: string | undefined
  /** The 64-bit id of the platform account. */
  platformId?: string | undefined
  /**
   * Also makes the call repeatable: a known one answers its sub-user. No space at either end, and
   * not the id of another account.
   */
  externalId?: string | undefined
  /** The merchant’s own when absent. */
  currency?: Currency | undefined
}

export interface CreateSubUserResponse {
  /** The id of this object. */
  id: string
  /** Email address. */
  email: string | null
  /** The 64-bit id of the platform account. */
  platformId: string | null
  /** Your own reference. */
  externalId: string | null
  /** The current status. */
  status: UserStatus
  /** Service fee of its own on buys; null when the default holds. */
  feeBps: number | null
  /** When it was created. */
  createdAt: string
  /** The currency of the sub-user’s wallet. */
  currency: Currency
  /** True when the sub-user existed already. */
  idempotent: boolean
}

export interface DeleteSubUserResponse {
  /** The id of this object. */
  id: string
  /** The current status. */
  status: UserStatus
}

/** Amounts in cents of the wallet’s currency. What is absent is not limited. */
export interface SubUserLimits {
  /** The most that one buy may cost. */
  perTradeCents?: number
  /** The most that the buys of a UTC day may cost together, less what was refunded of them. */
  perDayCents?: number
  /** How many buys may be open at once. */
  openTrades?: number
}

export interface SubUserLimitsBody {
  /** The most that one buy may cost. */
  perTradeCents?: number | undefined
  /** The most that the buys of a UTC day may cost together, less what was refunded of them. */
  perDayCents?: number | undefined
  /** How many buys may be open at once. */
  openTrades?: number | undefined
}

export interface SubUserListItem {
  /** The id of this object. */
  id: string
  /** Email address. */
  email: string | null
  /** The 64-bit id of the platform account. */
  platformId: string | null
  /** Your own reference. */
  externalId: string | null
  /** The current status. */
  status: UserStatus
  /** Service fee of its own on buys; null when the default holds. */
  feeBps: number | null
  /** When it was created. */
  createdAt: string
  /** The currency of the amounts. */
  currency: Currency | null
  /** What the wallet has. */
  balance: number
}

export interface SubUserListResponse {
  /** The rows of this page, or the parts of this object. */
  items: SubUserListItem[]
  /** Rows in the whole list. */
  total: number
  /** The page, from 1. */
  page: number
  /** Rows of a page. */
  limit: number
  /** How many pages there are. */
  totalPages: number
}

export interface SubUserResponse {
  /** The id of this object. */
  id: string
  /** Email address. */
  email: string | null
  /** The 64-bit id of the platform account. */
  platformId: string | null
  /** Your own reference. */
  externalId: string | null
  /** The current status. */
  status: UserStatus
  /** Service fee of its own on buys; null when the default holds. */
  feeBps: number | null
  /** When it was created. */
  createdAt: string
  /** The wallet; null for a deleted sub-user. */
  wallet: SubUserWallet | null
  /** Limits of its buys; null: none. */
  limits: SubUserLimits | null
}

export interface SubUserWallet {
  /** What kind of object this is. */
  type: WalletType
  /** The current status. */
  status: WalletStatus
  /** The currency of the amounts. */
  currency: Currency | null
  /** What the wallet has. */
  balance: number
}

export interface UpdateSubUserBody {
  /** Email address. */
  email?: string | undefined
  /** The 64-bit id of the platform account. */
  platformId?: string | undefined
  /** Your own reference. */
  externalId?: string | undefined
  /** Limits of its buys. Null removes all; an absent one stays. */
  limits?: SubUserLimitsBody | null | undefined
}

export type UserStatus = 'active' | 'suspended' | 'deleted'

export type WalletStatus = 'active' | 'suspended' | 'closed'

/** The query of GET /merchant/users. */
export interface ListSubUsersQuery {
  /** The beginning of an email, externalId or platformId. */
  q?: string | undefined
  status?: UserStatus | undefined
  /** Counted from 1. A page beyond the end is empty. */
  page?: number | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /merchant/users/{id}/ledger. */
export interface ListSubUserLedgerQuery {
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
}
