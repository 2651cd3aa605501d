// The SQL of API keys.

import { bool, columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Currency } from '#kernel/money'
import type { AccountStatus, Tier } from './account.ts'

export type KeyScope = 'read' | 'live' | 'buy' | 'sell' | 'deposit' | 'users' | 'funds' | 'payout'

export type KeyKind = 'merchant' | 'partner' | 'child'

/** What narrows a key. */
export interface KeyBounds {
  /** Names of the contract's scopes; null: all. */
  readonly scopes: readonly KeyScope[] | null
  /** Ids of 1 to 100 sub-users that the key may act for; null: all, and the merchant itself. */
  readonly accounts: readonly string[] | null
  /** From then on the key opens nothing; null: no end. */
  readonly endsAt: Date | null
  /** The limit that the key shares with those that it was rotated from and to; null: none. */
  readonly spendLimitId: string | null
}

export interface StoredKey extends KeyBounds {
  readonly id: string
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly hash: Buffer
  readonly prefix: string
  readonly last4: string
  readonly allowlist: readonly string[]
  /** The key that it takes the place of; null: none. */
  readonly rotatedFrom: string | null
  readonly at: Date
}

const INSERT = sql(
  'identity.insert_key',
  `insert into identity.api_key (id, account_id, kind, name, hash, prefix, last4, allowlist, created_at,
     scopes, accounts, ends_at, spend_limit_id, lineage_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8::text[]::cidr[], $9, $10::text[], $11::uuid[], $12, $13, (
     select coalesce(k.lineage_id, k.id) from identity.api_key k where k.id = $14))`,
)

export async function insertKey(tx: Tx, key: StoredKey): Promise<void> {
  const { id, accountId, kind, name, hash, prefix, last4, allowlist, at } = key
  const bounds = [key.scopes, key.accounts, key.endsAt, key.spendLimitId, key.rotatedFrom]
  await tx.query(INSERT, [id, accountId, kind, name, hash, prefix, last4, allowlist, at, ...bounds])
}

const REVOKE = sql(
  'identity.revoke_key',
  `update identity.api_key set status = 'revoked', revoked_at = $2 where id = $1 and status <> 'revoked'`,
)

export async function markRevoked(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(REVOKE, [id, at])
}

export interface FoundKey extends KeyBounds {
  readonly keyId: string
  readonly kind: KeyKind
  /** The account that the key opens. */
  readonly accountId: string
  /** Of a child; null otherwise. */
  readonly partnerId: string | null
  readonly currency: Currency
  readonly revoked: boolean
  /** The end of a rotation's overlap; null: none. */
  readonly expiresAt: Date | null
  readonly allowlist: readonly string[]
  readonly accountStatus: AccountStatus
  /** How much the account may ask. */
  readonly tier: Tier
  /** The service fee agreed with the account; null where a default holds. */
  readonly feeBps: number | null
}

const GOOD = sql(
  'identity.good_keys',
  `select id, allowlist::text[] allowlist, accounts::text[] accounts from identity.api_key
   where id = any ($1::uuid[]) and status <> 'revoked' and (valid_until is null or valid_until > $2)
     and (ends_at is null or ends_at > $2) and (scopes is null or 'live' = any (scopes))`,
)

export interface GoodKey {
  readonly id: string
  /** The networks that may use it; none: any. */
  readonly allowlist: readonly string[]
  readonly accounts: readonly string[] | null
}

/** Of the keys those that were not revoked, have not run out and may open sockets. */
export async function findGoodKeys(
  db: Queryable,
  ids: readonly string[],
  at: Date,
): Promise<Map<string, GoodKey>> {
  const rows = await db.query<GoodKey>(GOOD, [ids, at])
  return new Map(rows.map((key) => [key.id, key]))
}

const KEY = columns<FoundKey>('k.', {
  keyId: ['k.id', text],
  kind: text,
  accountId: text,
  partnerId: ['p.id', text],
  currency: ['a.currency', text],
  revoked: ["k.status = 'revoked'", bool],
  expiresAt: ['k.valid_until', time],
  allowlist: ['k.allowlist::text[]', json],
  // A suspended partner's children are suspended with it.
  accountStatus: [
    "case when a.kind = 'child' and a.status = 'active' then p.status else a.status end",
    text,
  ],
  tier: ['a.tier', text],
  feeBps: ['a.fee_bps', int],
  scopes: ['k.scopes', json],
  accounts: ['k.accounts::text[]', json],
  endsAt: ['k.ends_at', time],
  spendLimitId: ['k.spend_limit_id', text],
})

// The look-up notes the use, to the minute: the first use at once, and a busy key once a minute. A key
// that is being changed at this moment is not waited for.
const USE = sql(
  'identity.use_key',
  `with used as (
     update identity.api_key set last_used_at = $2 where id = (
       select id from identity.api_key where hash = $1 and status <> 'revoked'
         and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
       for no key update skip locked))
   select ${KEY.list}
   from identity.api_key k join identity.account a on a.id = k.account_id
     left join identity.account p on p.id = a.parent_id where k.hash = $1`,
)

export const useKey = (db: Queryable, hash: Buffer, at: Date): Promise<FoundKey | null> =>
  KEY.first(db, USE, [hash, at])
