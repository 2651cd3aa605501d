// What the edge needs from the business to know who calls. `main` fulfils these with plain functions.
import type { AddressLimit, KeyScope, Tier } from '@tradepost/contract'
import type { Admission } from './limits.ts'

/** An API key as it is stored, with what the edge must know of the account behind it. */
export interface KeyRecord {
  readonly keyId: string
  readonly kind: 'merchant' | 'partner' | 'child'
  /** The account that the key opens. */
  readonly accountId: string
  /** Of a child; null otherwise. */
  readonly partnerId: string | null
  readonly currency: 'USD' | 'EUR'
  readonly revoked: boolean
  /** The end of a rotation's overlap: from then on the key counts as revoked. Null: no end. */
  readonly expiresAt: Date | null
  /** Addresses and CIDR blocks, IPv4 or IPv6. Empty: any address may use the key. */
  readonly allowlist: readonly string[]
  readonly accountStatus: 'active' | 'suspended' | 'deleted'
  readonly tier: Tier
  /** The service fee agreed with the account, in basis points; null where a default holds. */
  readonly feeBps: number | null
  /** Null: every scope. */
  readonly scopes: readonly KeyScope[] | null
  /** Ids of the sub-users that it may act for; null: all, and the merchant itself. */
  readonly accounts: readonly string[] | null
  /** From then on the key opens nothing. Null: no end. */
  readonly endsAt: Date | null
}

/**
 * Finds a key by its secret; null when no such key was ever issued. Called for secrets that look like
 * ours and are not remembered; the store hashes the secret and knows nothing else of it.
 */
export type FindKey = (secret: string) => Promise<KeyRecord | null>

/** Prefix and checksum are right: the only secrets that are worth a question to the database. */
export type LooksLikeKey = (secret: string) => boolean

/** Callers that are known by their address alone. */
export interface AddressLimits {
  /** Throws RATE_LIMITED for an address that has tried too many keys. Answers from memory. */
  refuseKeyGuesser(caller: { readonly ip: string }): void
  /**
   * Called before a key is looked up; the answer is called afterwards. Throws RATE_LIMITED when an address
   * that has tried too many keys has some look-ups under way already. Answers from memory.
   */
  enterLookUp(caller: { readonly ip: string }): () => void
  /** Notes that an address came with a key that does not exist; refuses when it did so too often. */
  noteFailedKey(ip: string): Promise<void>
  /** One call of a route that is limited by address. */
  admit(ip: string, limit: AddressLimit): Promise<Admission>
}
