import type { FastifyRequest } from 'fastify'

/** The kinds of calls that the platform distinguishes, and limits apart. */
export type CallKind =
  | 'trade-page'
  | 'inventory'
  | 'own-inventory'
  | 'send'
  | 'cancel'
  | 'acknowledge'
  | 'confirmations-list'
  | 'confirmations-act'
  | 'web-api'
  | 'log-in'

export const CALL_KINDS: readonly CallKind[] = [
  'trade-page',
  'inventory',
  'own-inventory',
  'send',
  'cancel',
  'acknowledge',
  'confirmations-list',
  'confirmations-act',
  'web-api',
  'log-in',
]

/** Null for what is no call of the platform. */
export function kindOf({ method, url, headers }: FastifyRequest): CallKind | null {
  const [path = ''] = url.split('?')
  if (/\/api\/IAuthenticationService\//.test(path)) return 'log-in'
  if (/\/api\//.test(path)) return 'web-api'
  if (/\/mobileconf\/getlist$/.test(path)) return 'confirmations-list'
  if (/\/mobileconf\//.test(path)) return 'confirmations-act'
  if (/\/tradeoffer\/new\/send$/.test(path)) return 'send'
  if (/\/tradeoffer\/new\/?$/.test(path)) return 'trade-page'
  if (/\/trade\/new\/acknowledge$/.test(path)) return 'acknowledge'
  if (/\/tradeoffer\/\d+\/\w+$/.test(path)) return method === 'POST' ? 'cancel' : null
  const owner = /\/inventory\/(\d{17})\//.exec(path)?.[1]
  if (owner === undefined) return null
  return cookieOwner(headers.cookie) === owner ? 'own-inventory' : 'inventory'
}

const cookieOwner = (cookie: string | undefined): string | undefined =>
  /steamLoginSecure=(\d{17})%7C%7C/.exec(cookie ?? '')?.[1]

const PHONE = /^okhttp\/\d/
/** Of a client that says what it reads; libraries send `*`. */
const BROWSER_LANGUAGE = /^[a-z]{2}\b/i

/**
 * What is wrong with the headers of a call: since July 2026 the site answers 429, whatever the rate, to
 * what does not look like its own pages or its phone program. The Web API does not ask for any, except for
 * log-ins.
 */
export function headerTrouble(kind: CallKind, request: FastifyRequest): string | null {
  const { headers, url } = request
  const isPhone = PHONE.test(headers['user-agent'] ?? '')
  if (kind === 'web-api') return null
  if (kind === 'log-in') {
    return isPhone && /\bmobileClient=/.test(headers.cookie ?? '') ? null : 'no phone program'
  }
  if (!BROWSER_LANGUAGE.test(headers['accept-language'] ?? '')) return 'no language'
  if (kind.startsWith('confirmations') && !isPhone) return 'no phone program'
  if (kind === 'trade-page') {
    if (!isPhone) return 'no phone program'
    return headers.referer?.endsWith(url) ? null : 'the referer is not the page itself'
  }
  if (kind === 'send') {
    const isFromOffer = /\/tradeoffer\/new\/\?partner=\d+&token=/.test(headers.referer ?? '')
    return isFromOffer && headers.origin !== undefined ? null : 'not from the page of an offer'
  }
  if (kind === 'cancel' || kind === 'acknowledge') {
    return headers.origin === undefined ? 'no origin' : null
  }
  return null
}
