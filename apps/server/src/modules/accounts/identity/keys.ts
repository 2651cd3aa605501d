// Issuing, finding and revoking API keys.

import { batched } from '#infra/database/batch'
import type { Db, Queryable, Tx } from '#infra/database/db'
import { compileAllowlist } from '#infra/http/allowlist'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { hashKey, type KeyEnvironment, makeKey } from './api-key.ts'
import {
  type FoundKey,
  findGoodKeys,
  insertKey,
  type KeyBounds,
  type KeyKind,
  markRevoked,
  useKey,
} from './api-key-store.ts'

export interface KeyOrder {
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly environment: KeyEnvironment
  /** Networks in CIDR form; empty: any. */
  readonly allowlist?: readonly string[]
  /** Left out: the key may do everything, for ever. */
  readonly bounds?: KeyBounds
  /** The key that it takes the place of: both share a limit of spending from then on. */
  readonly rotatedFrom?: string
  readonly at: Date
}

const UNBOUNDED: KeyBounds = { scopes: null, accounts: null, endsAt: null, spendLimitId: null }

/** The secret is in this answer and nowhere else. */
export async function issueKey(
  tx: Tx,
  { environment, allowlist = [], bounds = UNBOUNDED, rotatedFrom, ...order }: KeyOrder,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { secret, hash, prefix, last4 } = makeKey(environment)
  const id = newId(order.at.getTime())
  const key = { ...order, ...bounds, id, hash, prefix, last4, allowlist }
  await insertKey(tx, { ...key, rotatedFrom: rotatedFrom ?? null })
  return { id, secret }
}

/** From the commit on; processes that remember the key are notified at once. */
export const revokeKey = (tx: Tx, id: string, at: Date): Promise<void> => markRevoked(tx, id, at)

/** The key behind a secret, whatever its state; null when none was ever issued. Notes the use. */
export function createKeyFinder({
  db,
  clock,
}: {
  readonly db: Queryable
  readonly clock: Clock
}): (secret: string) => Promise<FoundKey | null> {
  return (secret) => useKey(db, hashKey(secret), clock.now())
}

export interface KeyUse {
  readonly keyId: string
  /** From which the key was used. */
  readonly address: string
  /** For which; left out: for the account of the key itself. */
  readonly accountId?: string
}

/**
 * Whether a key still opens its account, for a connection that it opened: it was not revoked, has not run
 * out, may open sockets, acts for the account, and may be used at the address. Questions of one turn of the
 * event loop are one statement.
 */
export function createKeyChecker({
  db,
  clock,
}: {
  readonly db: Queryable
  readonly clock: Clock
}): (use: KeyUse) => Promise<boolean> {
  return batched(async (uses) => {
    const ids = new Set(uses.map(({ keyId }) => keyId))
    const good = await findGoodKeys(db, [...ids], clock.now())
    return uses.map(({ keyId, address, accountId }) => {
      const key = good.get(keyId)
      if (key === undefined) return false
      const { accounts } = key
      const isForAccount =
        accounts === null || (accountId !== undefined && accounts.includes(accountId))
      return isForAccount && compileAllowlist(key.allowlist)(address)
    })
  })
}

export interface ChangedKey {
  readonly keyId: string
  /** The account that the key opens. */
  readonly accountId: string
}

/**
 * Calls back with a key that changed in any process; with null when the status of an account that has
 * keys changed, or a notice may have been lost, and any key may open what it did not, or no more.
 */
export const watchKeys = (
  db: Db,
  onChange: (changed: ChangedKey | null) => void,
): Promise<() => Promise<void>> =>
  db.listen('identity_key_changed', (payload) => {
    const [keyId, accountId] = payload.split(' ')
    onChange(keyId && accountId ? { keyId, accountId } : null)
  })

/** The channel of changes of an account's status, currency or fees. */
export const ACCOUNT_STATUS_CHANNEL = 'identity_standing_changed'

/**
 * Calls back with an account whose status, currency or fees changed in any process; with null when a
 * notice may have been lost, and any account may have changed.
 */
export const watchAccountStatus = (
  db: Db,
  onChange: (accountId: string | null) => void,
): Promise<() => Promise<void>> =>
  db.listen(ACCOUNT_STATUS_CHANNEL, (accountId) => onChange(accountId === '' ? null : accountId))
