// Who calls, as far as the edge itself has to know. Each interface adds what its own handlers need.
import type { KeyScope, Tier } from '@tradepost/contract'
import type { TokenSession } from '#identity'
import type { EffectivePartnerFees } from '#pricing'
import type { ConfirmedCaller } from './operation.ts'

export interface Tenant {
  readonly id: string
  readonly currency: 'USD' | 'EUR'
}

export interface Principal {
  /** The account whose data and limits a call uses; null for a caller that has not logged in. */
  readonly tenant: Tenant | null
  /** The API key; absent where none is used. */
  readonly keyId?: string
  /** The partner of a child; absent or null otherwise. */
  readonly partnerId?: string | null
  /** An operation names the one permission that it needs. The names are the interface's own. */
  readonly permissions: ReadonlySet<string>
  /** What an API key is allowed; null or absent: every route. */
  readonly scopes?: ReadonlySet<KeyScope> | null
}

/** For whom a call counts. */
export interface Client extends Principal {
  readonly tenant: Tenant
  readonly keyId: string
  /** Sizes the budget. */
  readonly tier: Tier
}

/** What an API key opens. */
export interface KeyHolder extends Client {
  /** The service fee agreed with the tenant, in basis points; null where a default holds. */
  readonly feeBps: number | null
  /** The only sub-users that it may act for; null: all, and the merchant itself. */
  readonly accounts: ReadonlySet<string> | null
}

/** The account that a call acts for: the tenant's own, or one below it. */
export interface ActingAccount {
  readonly id: string
  readonly tenantId: string
  readonly role: 'merchant' | 'sub_user'
  readonly status: 'active' | 'suspended'
  readonly currency: 'USD' | 'EUR'
  /** The service fee of a buy, after all fallbacks, in basis points. */
  readonly houseFeeBps: number
  /** What the tenant adds to a buy of an account below it: 0 for its own. */
  readonly merchantBuyFeeBps: number
  readonly merchantSellFeeBps: number
}

/** An account with what belongs to it on the platform, which its key does not say. */
export interface TradingAccount extends ActingAccount {
  /** The linked platform account, set by the first trade URL. */
  readonly platformId: string | null
  readonly primaryTradeUrl: { readonly url: string; readonly platformId: string } | null
}

/** The caller of an operation that acts for an account: a client, and for whom it acts. */
export interface Caller extends Client, ConfirmedCaller {
  readonly requestId: string
  /** From which the call came. */
  address(): string
  readonly account: ActingAccount
  /** Of the person who calls from the dashboard; absent for the holder of a key. */
  readonly session?: TokenSession
}

/** The caller of an operation that trades for its account. */
export interface TradingCaller extends Caller {
  readonly account: TradingAccount
}

/** A partner, or a child of one. */
export interface ActingPartnerAccount {
  readonly id: string
  /** The partner that it is, or belongs to. */
  readonly partnerId: string
  readonly fees: EffectivePartnerFees
}

/** The same of the partner interface. */
export interface PartnerCaller extends Client, ConfirmedCaller {
  readonly requestId: string
  readonly account: ActingPartnerAccount
}
