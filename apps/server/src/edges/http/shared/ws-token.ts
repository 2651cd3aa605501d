// Tokens that open sockets. A browser cannot send a header with a WebSocket, so what opens one stands in
// its address, lives for five minutes and opens nothing else. It is sealed and not only signed: a merchant
// hands it to its own users, who are not to read from which address, and by which key, it was asked for.
import { TIERS, type Tier, WS_TOKEN_SCOPES, type WsTokenScope } from '@tradepost/contract'
import type { TokenSession } from '#identity'
import type { SecretBox } from '#infra/process/secrets'
import { isUuid } from '#kernel/id'

export interface WsClaims {
  /** The account that the sockets are for. */
  readonly accountId: string
  readonly tenantId: string
  /** Of the tenant when it was issued: opening a socket takes of this budget. */
  readonly tier: Tier
  /** The API key that it was asked for with; of a person, the merchant. */
  readonly keyId: string
  /** Of the person who asked for it in the dashboard; null: a key did. */
  readonly session: TokenSession | null
  /** From which it was asked for; what it opens may be used at another, as by a browser. */
  readonly address: string
  readonly scopes: readonly WsTokenScope[]
  readonly expiresAt: Date
}

export interface WsTokens {
  issue(claims: WsClaims): string
  /** Null when it is not ours, is for something else, or has run out. */
  read(token: string, at: Date): WsClaims | null
}

const CONTEXT = 'ws-token'
/** Far above what `issue` makes: longer ones are not looked at. */
const MAX_LENGTH = 1024

export const createWsTokens = (secrets: Pick<SecretBox, 'seal' | 'open'>): WsTokens => ({
  issue: ({ accountId, tenantId, tier, keyId, session, address, scopes, expiresAt }) => {
    const claims = {
      ...{ a: accountId, m: tenantId, t: tier },
      ...{ k: keyId, i: address, s: scopes, e: expiresAt.getTime() },
      ...(session && { n: session.sessionId, p: session.personId }),
    }
    return secrets.seal(JSON.stringify(claims), CONTEXT)
  },
  read: (token, at) => {
    const text = token.length > MAX_LENGTH ? null : textOf(secrets, token)
    const claims = text === null ? null : claimsOf(text)
    return claims !== null && claims.expiresAt > at ? claims : null
  },
})

function textOf(secrets: Pick<SecretBox, 'open'>, token: string): string | null {
  try {
    return secrets.open(token, CONTEXT)
  } catch {
    // Not sealed by us, or with a key that is gone: the same answer for its sender.
    return null
  }
}

/** What we sealed was well formed; a later version may seal something else under the same key. */
function claimsOf(text: string): WsClaims | null {
  const { a, m, t, k, i, s, e, n, p } = JSON.parse(text) as Record<string, unknown>
  const tier = TIERS.find((one) => one === t)
  if (!isText(a) || !isText(m) || !isText(k) || !isText(i)) return null
  if (!Number.isSafeInteger(e)) return null
  if (!isUuid(a) || !isUuid(m) || tier === undefined || !Array.isArray(s)) return null
  const scopes = WS_TOKEN_SCOPES.filter((scope) => s.includes(scope))
  const expiresAt = new Date(Number(e))
  const session = isText(n) && isText(p) ? { sessionId: n, personId: p } : null
  return { accountId: a, tenantId: m, tier, keyId: k, session, address: i, scopes, expiresAt }
}

const isText = (value: unknown): value is string => typeof value === 'string'
