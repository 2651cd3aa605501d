// An authorization request as a browser brings it (RFC 6749, section 4.1.1; RFC 7636, section 4.3).
import type { ChatSettings } from './settings.ts'

export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly state: string
  readonly codeChallenge: string
}

export interface Problem {
  readonly problem: string
  /** Null: the person is not sent anywhere. */
  readonly returnTo: AuthorizationRequest | null
}

/** The page of the service that the client has registered, on whatever port of this machine it runs. */
const REGISTERED_PATH = '/dashboard/chat'
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export function readAuthorization(
  fields: Readonly<Record<string, string | undefined>>,
  { clientId }: ChatSettings,
): AuthorizationRequest | Problem {
  const redirectUri = fields.redirect_uri ?? ''
  if (fields.client_id !== clientId) return { problem: 'This site is not known.', returnTo: null }
  if (!isRegistered(redirectUri)) {
    return { problem: 'The address to return to is not the site’s own.', returnTo: null }
  }
  const asked: AuthorizationRequest = {
    ...{ clientId, redirectUri, scope: fields.scope ?? '', state: fields.state ?? '' },
    codeChallenge: fields.code_challenge ?? '',
  }
  const problem = problemOf(fields, asked)
  return problem === null ? asked : { problem, returnTo: asked }
}

function problemOf(
  fields: Readonly<Record<string, string | undefined>>,
  { state, codeChallenge }: AuthorizationRequest,
): string | null {
  if (fields.response_type !== 'code') return 'response_type must be code'
  if (state === '') return 'state is missing'
  const isChallenge = /^[\w-]{43}$/.test(codeChallenge)
  if (!isChallenge || fields.code_challenge_method !== 'S256') return 'PKCE with S256 is required'
  return null
}

function isRegistered(redirectUri: string): boolean {
  const url = URL.parse(redirectUri)
  return (
    url !== null &&
    url.protocol === 'http:' &&
    LOOPBACK.has(url.hostname) &&
    url.pathname === REGISTERED_PATH &&
    url.search === '' &&
    url.hash === ''
  )
}
