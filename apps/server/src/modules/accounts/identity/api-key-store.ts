// The SQL of API keys.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Currency } from '#kernel/money'
import type { AccountStatus, Tier } from './account.ts'

export type KeyKind = 'merchant' | 'partner' | 'child'

export interface StoredKey {
  readonly id: string
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly hash: Buffer
  readonly prefix: string
  readonly last4: string
  readonly allowlist: readonly string[]
  readonly at: Date
}

const INSERT = sql(
  'identity.insert_key',
  `insert into identity.api_key (id, account_id, kind, name, hash, prefix, last4, allowlist, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8::text[]::cidr[], $9)`,
)

export async function insertKey(tx: Tx, key: StoredKey): Promise<void> {
  const { id, accountId, kind, name, hash, prefix, last4, allowlist, at } = key
  await tx.query(INSERT, [id, accountId, kind, name, hash, prefix, last4, allowlist, at])
}

const REVOKE = sql(
  'identity.revoke_key',
  `update identity.api_key set status = 'revoked', revoked_at = $2 where id = $1 and status <> 'revoked'`,
)

export async function markRevoked(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(REVOKE, [id, at])
}

export interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly kind: KeyKind
  readonly revoked: boolean
  readonly valid_until: Date | null
  readonly allowlist: string[]
  readonly currency: Currency
  readonly account_status: AccountStatus
  readonly tier: Tier
  readonly fee_bps: number | null
}

const GOOD = sql(
  'identity.good_keys',
  `select id, allowlist::text[] allowlist from identity.api_key
   where id = any ($1::uuid[]) and status <> 'revoked' and (valid_until is null or valid_until > $2)`,
)

/** Of the keys that were not revoked and have not run out, the networks that may use them; none: any. */
export async function findGoodKeys(
  db: Queryable,
  ids: readonly string[],
  at: Date,
): Promise<Map<string, readonly string[]>> {
  const rows = await db.query<{ id: string; allowlist: string[] }>(GOOD, [ids, at])
  return new Map(rows.map(({ id, allowlist }) => [id, allowlist]))
}

// The look-up notes the use, to the minute: the first use at once, and a busy key once a minute. A key
// that is being changed at this moment is not waited for.
const USE = sql(
  'identity.use_key',
  `with used as (
     update identity.api_key set last_used_at = $2 where id = (
       select id from identity.api_key where hash = $1 and status <> 'revoked'
         and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
       for no key update skip locked))
   select k.id, k.account_id, k.kind, k.status = 'revoked' revoked, k.valid_until, k.allowlist::text[] allowlist,
     a.currency, a.tier, a.fee_bps,
     -- A suspended partner's children are suspended with it.
     case when a.kind = 'child' and a.status = 'active' then p.status else a.status end account_status
   from identity.api_key k join identity.account a on a.id = k.account_id
     left join identity.account p on p.id = a.parent_id where k.hash = $1`,
)

export async function useKey(db: Queryable, hash: Buffer, at: Date): Promise<KeyRow | null> {
  const [row] = await db.query<KeyRow>(USE, [hash, at])
  return row ?? null
}
