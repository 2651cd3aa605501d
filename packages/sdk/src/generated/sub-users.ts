// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Currency, TransactionStatus, TransactionType, WalletType } from './shared.ts'

export interface CreateSubUserBody {
  email?: string | undefined
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
  id: string
  email: string | null
  platformId: string | null
  externalId: string | null
  status: UserStatus
  /** House fee of its own on buys; null when the default holds. */
  feeBps: number | null
  createdAt: string
  currency: Currency
  /** True when the sub-user existed already. */
  idempotent: boolean
}

export interface DeleteSubUserResponse {
  id: string
  status: UserStatus
}

export interface SubUserListItem {
  id: string
  email: string | null
  platformId: string | null
  externalId: string | null
  status: UserStatus
  /** House fee of its own on buys; null when the default holds. */
  feeBps: number | null
  createdAt: string
  currency: Currency | null
  balance: number
}

export interface SubUserListResponse {
  items: SubUserListItem[]
  /** Rows in the whole list. */
  total: number
  page: number
  limit: number
  totalPages: number
}

export interface SubUserResponse {
  id: string
  email: string | null
  platformId: string | null
  externalId: string | null
  status: UserStatus
  /** House fee of its own on buys; null when the default holds. */
  feeBps: number | null
  createdAt: string
  wallet: SubUserWallet | null
}

export interface SubUserWallet {
  type: WalletType
  status: WalletStatus
  currency: Currency | null
  balance: number
}

export interface UpdateSubUserBody {
  email?: string | undefined
  platformId?: string | undefined
  externalId?: string | undefined
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
