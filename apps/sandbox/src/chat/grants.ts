// Codes and access tokens of the authorization code grant (RFC 6749, section 4.1) with PKCE (RFC 7636).
import { createHash, randomBytes } from 'node:crypto'

/** What a person has allowed. */
export interface Grant {
  readonly redirectUri: string
  /** S256 of the verifier that the token request must show. */
  readonly codeChallenge: string
  readonly username: string
  readonly scope: string
}

export interface Exchange {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string
}

export interface Grants {
  /** A code, good once within a minute. */
  issue(grant: Grant): string
  /** An access token; null for a code that is unknown, late, used, or shown without its verifier. */
  exchange(exchange: Exchange): { readonly token: string; readonly grant: Grant } | null
  find(token: string): Grant | null
  /** How many codes were exchanged since the start. */
  count(): number
}

export const TOKEN_SECONDS = 600
const CODE_MS = 60_000
/** The oldest are forgotten first. */
const MOST_KEPT = 10_000

interface Issued {
  readonly grant: Grant
  readonly expiresMs: number
  /** Set by the exchange. */
  token: string | null
}

export function createGrants(nowMs: () => number): Grants {
  const codes = new Map<string, Issued>()
  const tokens = new Map<string, { readonly grant: Grant; readonly expiresMs: number }>()
  let exchanged = 0
  return {
    issue(grant) {
      const code = randomBytes(24).toString('base64url')
      keep(codes, code, { grant, expiresMs: nowMs() + CODE_MS, token: null })
      return code
    },
    exchange({ code, redirectUri, codeVerifier }) {
      const issued = codes.get(code)
      if (issued === undefined) return null
      if (issued.token !== null) {
        // A code that comes twice was stolen at one of the two times (RFC 6749, section 4.1.2).
        tokens.delete(issued.token)
        return null
      }
      const { grant, expiresMs } = issued
      const isRight =
        expiresMs > nowMs() &&
        grant.redirectUri === redirectUri &&
        grant.codeChallenge === challengeOf(codeVerifier)
      if (!isRight) return null
      const token = randomBytes(32).toString('base64url')
      issued.token = token
      keep(tokens, token, { grant, expiresMs: nowMs() + TOKEN_SECONDS * 1000 })
      exchanged += 1
      return { token, grant }
    },
    find(token) {
      const known = tokens.get(token)
      return known === undefined || known.expiresMs <= nowMs() ? null : known.grant
    },
    count: () => exchanged,
  }
}

const challengeOf = (codeVerifier: string): string =>
  createHash('sha256').update(codeVerifier).digest('base64url')

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  const [oldest] = map.size > MOST_KEPT ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
