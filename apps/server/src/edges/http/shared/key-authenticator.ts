// Who holds the API key of a request. Denials come in one order, so that a caller learns first what it has
// to correct first: missing, unknown, revoked, address, suspended.
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { compileAllowlist } from '#infra/http/allowlist'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import { Refusal, type RefusalKey } from '#kernel/refusal'
import type { UsedKey } from './exchange.ts'
import { missingKey, PlainRefusal } from './failure.ts'
import type { AddressLimits, FindKey, KeyRecord, LooksLikeKey } from './ports.ts'
import type { KeyHolder } from './principal.ts'

/** What is read of a request: its headers, and its address only when the key is pinned to some. */
export interface Bearer {
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

export interface KeyAuthenticator {
  /**
   * Answers at once when the key is remembered. Throws the refusal. `enterLookUp` is called before the store
   * is asked, and may refuse by throwing; its answer is called afterwards.
   */
  authenticate(bearer: Bearer, enterLookUp?: EnterLookUp): KeyHolder | Promise<KeyHolder>
  /** Refuses a request that was admitted as a new one would be refused now: asks the store. */
  confirm(bearer: Bearer): Promise<KeyHolder>
  /** The key, or without one any key or account, changed: its next request asks the store again. */
  forgetKeys(keyId?: string): void
}

type EnterLookUp = () => () => void

export interface KeyAuthenticatorDeps {
  readonly findKey: FindKey
  readonly looksLikeKey: LooksLikeKey
  readonly clock: Clock
  /** A revocation that no notice reported is seen after this long at the latest. */
  readonly rememberMs?: number
  readonly maxRemembered?: number
}

/** How one interface reads keys. */
export interface KeyRules {
  readonly header: string
  /** The other interface's header: a request that sends both does not know which it talks to. */
  readonly foreignHeader: string
  /** What a key of this kind may do here; null when it opens nothing here. */
  permissionsOf(kind: KeyRecord['kind']): ReadonlySet<string> | null
}

const MAX_REMEMBER_MS = 5000

export function createKeyAuthenticator(
  deps: KeyAuthenticatorDeps,
  rules: KeyRules,
): KeyAuthenticator {
  const keys = createKeyMemory(deps, rules)
  return {
    authenticate(bearer, enterLookUp) {
      const secret = readSecret(bearer.headers, rules)
      const key = keys.find(secret, enterLookUp)
      return key instanceof Promise
        ? key.then((found) => admitKey(found, bearer, deps.clock))
        : admitKey(key, bearer, deps.clock)
    },
    async confirm(bearer) {
      const key = await keys.findAnew(readSecret(bearer.headers, rules))
      return admitKey(key, bearer, deps.clock)
    },
    forgetKeys: keys.forget,
  }
}

/**
 * Refuses by address who tries keys, and counts those tries. A good key passes all the same: behind a
 * balancer that is not trusted all callers share one address, and one of them must not lock out the rest. Of
 * a refused address only some keys are looked up at once.
 */
export function limitKeyGuesses(
  authenticate: KeyAuthenticator['authenticate'],
  addresses: AddressLimits,
): (bearer: Bearer) => KeyHolder | Promise<KeyHolder> {
  const denied = async (bearer: Bearer, error: unknown): Promise<never> => {
    if (!(error instanceof Refusal)) throw error
    addresses.refuseKeyGuesser(bearer)
    if (error.key === 'INVALID_API_KEY') await addresses.noteFailedKey(bearer.ip)
    throw error
  }
  return (bearer) => {
    try {
      const found = authenticate(bearer, () => addresses.enterLookUp(bearer))
      return found instanceof Promise ? found.catch((error) => denied(bearer, error)) : found
    } catch (error) {
      return denied(bearer, error)
    }
  }
}

function readSecret(headers: IncomingHttpHeaders, { header, foreignHeader }: KeyRules): string {
  const secret = headers[header]
  if (typeof secret !== 'string' || secret === '') {
    throw new PlainRefusal(missingKey(header, headers))
  }
  if (headers[foreignHeader] !== undefined) throw new Refusal('INVALID_API_KEY')
  return secret
}

function admitKey(key: RememberedKey | null, bearer: Bearer, clock: Clock): KeyHolder {
  if (key === null || key.holder === null || key.record.accountStatus === 'deleted') {
    throw new Refusal('INVALID_API_KEY')
  }
  const reason = reasonAgainst(key, bearer, clock)
  if (reason !== null) throw new KeyRefusal(reason, key.record)
  return key.holder
}

function reasonAgainst(
  { record, allows }: RememberedKey,
  bearer: Bearer,
  clock: Clock,
): RefusalKey | null {
  const { revoked, expiresAt, endsAt, accountStatus } = record
  if (endsAt !== null && endsAt <= clock.now()) return 'INVALID_API_KEY'
  if (revoked || (expiresAt !== null && expiresAt <= clock.now())) return 'API_KEY_REVOKED'
  if (allows !== null && !allows(bearer.ip)) return 'API_KEY_IP_DENIED'
  return accountStatus === 'suspended' ? 'ACCOUNT_SUSPENDED' : null
}

/** A key that is known, and opens nothing now: its owner sees the request among those of the key. */
export class KeyRefusal extends Refusal {
  readonly usedKey: UsedKey

  constructor(key: RefusalKey, { keyId, accountId, partnerId }: KeyRecord) {
    super(key)
    this.usedKey = { id: keyId, ownerId: partnerId ?? accountId }
  }
}

interface RememberedKey {
  readonly record: KeyRecord
  /** Null: the key is not one of this interface. */
  readonly holder: KeyHolder | null
  /** Null: from anywhere, so that the address is not read. */
  readonly allows: ((address: string) => boolean) | null
  readonly untilMs: number
}

/**
 * Keys by the hash of their secret, so that a dump of this memory gives no key away. Only known keys are
 * kept: a guess cannot push out a customer, and a key works from the moment it is created.
 */
function createKeyMemory(
  {
    findKey,
    looksLikeKey,
    clock,
    rememberMs = MAX_REMEMBER_MS,
    maxRemembered = 10_000,
  }: KeyAuthenticatorDeps,
  rules: KeyRules,
) {
  const lifeMs = Math.min(rememberMs, MAX_REMEMBER_MS)
  const known = createBoundedCache<RememberedKey>(maxRemembered)
  let asked = new Map<string, Promise<RememberedKey | null>>()

  const ask = async (secret: string, digest: string): Promise<RememberedKey | null> => {
    const sameTurn = asked
    const startedMs = clock.now().getTime()
    try {
      const record = await findKey(secret)
      if (record === null) return null
      const key = remembered(record, rules, startedMs + lifeMs)
      // `forget` replaced the map meanwhile: the answer is good for those who wait, and no longer.
      if (sameTurn === asked) {
        known.set(digest, key)
      }
      return key
    } finally {
      sameTurn.delete(digest)
    }
  }

  /** Requests of the same moment share one look-up. */
  const askOnce = (
    secret: string,
    digest: string,
    enterLookUp?: EnterLookUp,
  ): Promise<RememberedKey | null> => {
    let answer = asked.get(digest)
    if (answer === undefined) {
      const leave = enterLookUp?.()
      answer = ask(secret, digest).finally(leave)
      asked.set(digest, answer)
    }
    return answer
  }

  return {
    find(secret: string, enterLookUp?: EnterLookUp): RememberedKey | Promise<RememberedKey | null> {
      const digest = digestOf(secret)
      const key = known.get(digest)
      if (key !== undefined) {
        const leftMs = key.untilMs - clock.now().getTime()
        // A key in use is asked for again in time, so that none of its requests waits for the store.
        if (leftMs > 0 && leftMs <= lifeMs / 2) askOnce(secret, digest).catch(() => {})
        if (leftMs > 0) return key
        known.delete(digest)
      }
      if (!looksLikeKey(secret)) throw new Refusal('INVALID_API_KEY')
      return askOnce(secret, digest, enterLookUp)
    },
    /** Of a key that was admitted before, and so is no guess. */
    findAnew(secret: string): Promise<RememberedKey | null> {
      const digest = digestOf(secret)
      known.delete(digest)
      return askOnce(secret, digest)
    },
    forget(keyId?: string): void {
      // What is being asked may be about it; the answer is not remembered.
      asked = new Map()
      for (const [digest, { record }] of known) {
        if (keyId === undefined || record.keyId === keyId) known.delete(digest)
      }
    },
  }
}

const digestOf = (secret: string): string => hash('sha256', secret, 'base64url')

function remembered(record: KeyRecord, rules: KeyRules, untilMs: number): RememberedKey {
  const { accountId, partnerId, keyId, currency, tier, feeBps, allowlist, scopes, accounts } =
    record
  const permissions = rules.permissionsOf(record.kind)
  return {
    record,
    holder: permissions && {
      tenant: { id: accountId, currency },
      keyId,
      partnerId,
      tier,
      feeBps,
      permissions,
      scopes: scopes && new Set(scopes),
      accounts: accounts && new Set(accounts),
    },
    allows: allowlist.length === 0 ? null : compileAllowlist(allowlist),
    untilMs,
  }
}
