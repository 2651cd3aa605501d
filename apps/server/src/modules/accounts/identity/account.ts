// Accounts: one tree of merchants with sub-users and partners with children.
import type { Cents, Currency } from '#kernel/money'

export type AccountStatus = 'active' | 'suspended' | 'deleted'

export type Tier = 'standard' | 'premium' | 'enterprise'

export interface SubUser {
  readonly id: string
  readonly merchantId: string
  readonly email: string | null
  readonly platformId: string | null
  readonly externalId: string | null
  readonly status: AccountStatus
  /** Its own service fee on buys; null where a default holds. */
  readonly feeBps: number | null
  readonly currency: Currency
  readonly createdAt: Date
  /** Cents of its currency. */
  readonly limitPerTrade: Cents | null
  readonly limitPerDay: Cents | null
  readonly limitOpenTrades: number | null
}

/** What its buys may come to; cents of its currency. Null: no limit. */
export interface SubUserLimits {
  readonly perTrade: Cents | null
  readonly perDay: Cents | null
  readonly openTrades: number | null
}

/** What a merchant changes of a sub-user. */
export interface SubUserChange {
  /** What is null stays as it is. */
  readonly email: string | null
  readonly platformId: string | null
  readonly externalId: string | null
  /** Null lifts all; of what is left out, each stays. Undefined: all stay. */
  readonly limits?: Partial<SubUserLimits> | null | undefined
  readonly at: Date
}

export interface MerchantFees {
  /** Service fee on the merchant's own buys. */
  readonly feeBps: number
  /** The merchant's cut on its sub-users' buys. */
  readonly buyFeeBps: number
  /** The merchant's cut on its sub-users' sells. */
  readonly sellFeeBps: number
  /** Service fee on buys of sub-users without one of their own; null: the global default. */
  readonly childDefaultFeeBps: number | null
}

export interface Merchant {
  readonly id: string
  readonly email: string
  readonly country: string | null
  readonly currency: Currency
  readonly fees: MerchantFees
  readonly createdAt: Date
}

/** Of partners; both null where nothing was agreed. */
export interface PartnerFees {
  /** Service fee on the partner's own buys, and on those of children without one of their own. */
  readonly feeBps: number | null
  /** The partner's cut on its children's buys. */
  readonly buyFeeBps: number | null
}

/** The isolated account of one of a partner's merchants. */
export interface Child {
  readonly id: string
  readonly partnerId: string
  /** Null once it is deleted, like its name. */
  readonly email: string | null
  readonly name: string | null
  readonly status: AccountStatus
  /** Names the child on the partner interface. */
  readonly firstKeyId: string
}

/** As its partner's people list it. */
export interface ListedChild extends Child {
  readonly createdAt: Date
}
