// What the edge needs from the business to know who is asking. `main` fulfils these with plain functions.
import type { AccountCaller, MerchantCaller, RouteShape, SubUserCaller } from './operation.ts'

/** An API key as it is stored, with what the edge must know of the account behind it. */
export interface KeyRecord {
  readonly keyId: string
  readonly kind: 'merchant' | 'partner' | 'child'
  /** The account that the key opens. */
  readonly accountId: string
  readonly currency: 'USD' | 'EUR'
  readonly revoked: boolean
  /** The end of a rotation's overlap: from then on the key counts as revoked. Null: no end. */
  readonly expiresAt: Date | null
  /** Addresses and CIDR blocks, IPv4 or IPv6. Empty: any address may use the key. */
  readonly allowlist: readonly string[]
  readonly accountStatus: 'active' | 'suspended' | 'deleted'
}

/**
 * Finds a key by its secret; null when no such key was ever issued. Called for secrets that look like
 * ours and are not remembered; the store hashes the secret and knows nothing else of it.
 */
export type FindKey = (secret: string) => Promise<KeyRecord | null>

/** Prefix and checksum are right: the only secrets that are worth a question to the database. */
export type LooksLikeKey = (secret: string) => boolean

export interface ResolvedCaller {
  readonly subUser: SubUserCaller | null
  readonly account: AccountCaller
}

/**
 * Finds the account that a call acts for: the merchant's own when `reference` is null, else the
 * merchant's sub-user with that id or externalId. Null when there is none (deleted ones included).
 */
export type ResolveCaller = (
  merchant: MerchantCaller,
  reference: string | null,
) => Promise<ResolvedCaller | null>

export interface AdmissionRequest {
  readonly merchant: MerchantCaller
  readonly route: RouteShape
}

/**
 * The place of rate limits: called once for each request with a known key, before anything else is
 * looked at. It throws the refusal, with `retryAfterSeconds` among its facts, or returns headers that
 * every answer of the route carries.
 */
export type Admit = (
  request: AdmissionRequest,
) =>
  | Readonly<Record<string, string>>
  | undefined
  | Promise<Readonly<Record<string, string>> | undefined>
