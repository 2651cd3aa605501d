// Tokens that open sockets. A browser cannot send a header with a WebSocket, so what opens one stands in
// its address, lives for five minutes and opens nothing else.
import { TIERS, type Tier, WS_TOKEN_SCOPES, type WsTokenScope } from '@tradepost/contract'
import type { SecretBox } from '#infra/secrets'
import { isUuid } from '#kernel/id'

export interface WsClaims {
  /** The account that the sockets are for. */
  readonly accountId: string
  readonly tenantId: string
  /** Of the tenant when it was issued: opening a socket takes of this budget. */
  readonly tier: Tier
  /** The API key that it was asked for with. */
  readonly keyId: string
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

const PURPOSE = 'ws-token'
/** Far above what `issue` makes: longer ones are not looked at. */
const MAX_LENGTH = 1024

export const createWsTokens = (secrets: Pick<SecretBox, 'sign' | 'isSigned'>): WsTokens => ({
  issue: ({ accountId, tenantId, tier, keyId, address, scopes, expiresAt }) => {
    const claims = {
      ...{ a: accountId, m: tenantId, t: tier },
      ...{ k: keyId, i: address, s: scopes, e: expiresAt.getTime() },
    }
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `${text}.${secrets.sign(text, PURPOSE)}`
  },
  read: (token, at) => {
    const dot = token.indexOf('.')
    if (dot < 0 || token.length > MAX_LENGTH) return null
    const text = token.slice(0, dot)
    if (!secrets.isSigned(text, token.slice(dot + 1), PURPOSE)) return null
    const claims = claimsOf(Buffer.from(text, 'base64url').toString('utf8'))
    return claims !== null && claims.expiresAt > at ? claims : null
  },
})

/** What we signed was well formed; a later version may sign something else under the same key. */
function claimsOf(text: string): WsClaims | null {
  const { a, m, t, k, i, s, e } = JSON.parse(text) as Record<string, unknown>
  const tier = TIERS.find((one) => one === t)
  if (!isText(a) || !isText(m) || !isText(k) || !isText(i)) return null
  if (!Number.isSafeInteger(e)) return null
  if (!isUuid(a) || !isUuid(m) || tier === undefined || !Array.isArray(s)) return null
  const scopes = WS_TOKEN_SCOPES.filter((scope) => s.includes(scope))
  const expiresAt = new Date(Number(e))
  return { accountId: a, tenantId: m, tier, keyId: k, address: i, scopes, expiresAt }
}

const isText = (value: unknown): value is string => typeof value === 'string'
