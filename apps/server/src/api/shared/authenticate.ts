// Who holds the key of a request. Denials come in one order, so that a caller learns the first thing to
// mend: missing, unknown, revoked, address, suspended.
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { API_KEY_HEADER } from '@tradepost/contract'
import type { Clock } from '#infra/clock'
import { createBoundedCache } from '#infra/memo'
import { Refusal } from '#kernel/refusal'
import type { MerchantCaller } from './operation.ts'
import type { FindKey, KeyRecord, LooksLikeKey } from './ports.ts'

/** What is read of a request: its headers, and its address only when the key is pinned to some. */
export interface Bearer {
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

export interface Authenticator {
  /** The merchant behind the key. Answers at once when the key is remembered. Throws the refusal. */
  authenticate(bearer: Bearer): MerchantCaller | Promise<MerchantCaller>
  /** Called when any key or account changed: the next request asks the store again. */
  forgetKeys(): void
}

export interface AuthenticatorDeps {
  readonly findKey: FindKey
  readonly looksLikeKey: LooksLikeKey
  readonly clock: Clock
  /** A revocation that no notice told of is seen after this long at the latest. */
  readonly rememberMs?: number
  readonly maxRemembered?: number
}

const PARTNER_KEY_HEADER = 'x-api-key'
const MAX_REMEMBER_MS = 5000

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const keys = createKeyMemory(deps)
  return {
    authenticate(bearer) {
      const secret = readSecret(bearer.headers)
      const key = keys.find(secret)
      return key instanceof Promise
        ? key.then((found) => admitKey(found, bearer, deps.clock))
        : admitKey(key, bearer, deps.clock)
    },
    forgetKeys: keys.forget,
  }
}

function readSecret(headers: IncomingHttpHeaders): string {
  const secret = headers[API_KEY_HEADER]
  if (typeof secret !== 'string' || secret === '') throw new Refusal('MISSING_API_KEY')
  // Two interfaces, two headers: a request that sends both does not know which it talks to.
  if (headers[PARTNER_KEY_HEADER] !== undefined) throw new Refusal('INVALID_API_KEY')
  return secret
}

function admitKey(key: RememberedKey | null, bearer: Bearer, clock: Clock): MerchantCaller {
  if (key === null || key.record.kind !== 'merchant' || key.record.accountStatus === 'deleted') {
    throw new Refusal('INVALID_API_KEY')
  }
  const { revoked, expiresAt, accountStatus } = key.record
  if (revoked || (expiresAt !== null && expiresAt <= clock.now())) {
    throw new Refusal('API_KEY_REVOKED')
  }
  if (key.allowed !== null && !isAllowed(key.allowed, bearer.ip)) {
    throw new Refusal('API_KEY_IP_DENIED')
  }
  if (accountStatus === 'suspended') throw new Refusal('ACCOUNT_SUSPENDED')
  return key.merchant
}

interface RememberedKey {
  readonly record: KeyRecord
  readonly merchant: MerchantCaller
  /** Null: from anywhere. */
  readonly allowed: BlockList | null
  readonly untilMs: number
}

/**
 * Keys by the hash of their secret, so that a dump of this memory gives no key away. Only known keys are
 * kept: a guess cannot push out a customer, and a key works from the moment it is created.
 */
function createKeyMemory({
  findKey,
  looksLikeKey,
  clock,
  rememberMs = MAX_REMEMBER_MS,
  maxRemembered = 10_000,
}: AuthenticatorDeps) {
  const known = createBoundedCache<RememberedKey>(maxRemembered)
  let asked = new Map<string, Promise<RememberedKey | null>>()

  const ask = async (secret: string, digest: string): Promise<RememberedKey | null> => {
    const sameTurn = asked
    const startedMs = clock.now().getTime()
    try {
      const record = await findKey(secret)
      if (record === null) return null
      const key = remembered(record, startedMs + Math.min(rememberMs, MAX_REMEMBER_MS))
      // `forget` replaced the map meanwhile: the answer is good for those who wait, and no longer.
      if (sameTurn === asked) {
        known.set(digest, key)
      }
      return key
    } finally {
      sameTurn.delete(digest)
    }
  }

  return {
    find(secret: string): RememberedKey | Promise<RememberedKey | null> {
      const digest = hash('sha256', secret, 'base64url')
      const key = known.get(digest)
      if (key !== undefined) {
        if (key.untilMs > clock.now().getTime()) return key
        known.delete(digest)
      }
      if (!looksLikeKey(secret)) throw new Refusal('INVALID_API_KEY')
      // Requests of the same moment share one question.
      let answer = asked.get(digest)
      if (answer === undefined) {
        answer = ask(secret, digest)
        asked.set(digest, answer)
      }
      return answer
    },
    forget(): void {
      known.clear()
      asked = new Map()
    },
  }
}

const remembered = (record: KeyRecord, untilMs: number): RememberedKey => ({
  record,
  merchant: {
    id: record.accountId,
    keyId: record.keyId,
    currency: record.currency,
    tier: record.tier,
  },
  allowed: record.allowlist.length === 0 ? null : allowedAddresses(record.allowlist),
  untilMs,
})

/** An entry that is no address admits nobody: a typing error must not open the key to the world. */
function allowedAddresses(allowlist: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of allowlist) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    if (family === 0) continue
    const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
    if (!Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) continue
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

// Behind a trusted proxy the address is whatever the header says, which may be no address at all.
function isAllowed(allowed: BlockList, address: string): boolean {
  if (isIP(address) === 0) return false
  return allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
