// Trade URLs: `https://[www.]<community host>/tradeoffer/new/?partner=<32-bit account id>&token=<8 characters>`.
import type { ParsedTradeUrl, Persona } from './ports.ts'

export interface TradeUrl extends Persona {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly isPrimary: boolean
  readonly createdAt: Date
}

/** Individual account, instance 1, of the public universe: what is added to a 32-bit account id. */
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n
const MAX_PARTNER = 4_294_967_295
const MAX_LENGTH = 300
const PARTNER = /^[1-9]\d{0,9}$/
const TOKEN = /^[A-Za-z0-9_-]{8}$/

/** Reads a trade URL, or null when it has not that form. Says nothing of whether the platform knows it. */
export function parseTradeUrl(text: string, communityHost: string): ParsedTradeUrl | null {
  // The URL parser forgives line breaks, tabs and backslashes; the platform's pages do not.
  if (text.length > MAX_LENGTH || !/^https:\/\/[!-[\]-~]+$/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || !isTradeOfferPage(url, communityHost)) return null
  const names = [...url.searchParams.keys()].sort()
  if (names.length !== 2 || names[0] !== 'partner' || names[1] !== 'token') return null
  const partner = url.searchParams.get('partner') ?? ''
  const token = url.searchParams.get('token') ?? ''
  if (!PARTNER.test(partner) || Number(partner) > MAX_PARTNER || !TOKEN.test(token)) return null
  return {
    partner: Number(partner),
    token,
    platformId: String(FIRST_PLATFORM_ID + BigInt(partner)),
    canonical: `https://${communityHost}/tradeoffer/new/?partner=${partner}&token=${token}`,
  }
}

const isTradeOfferPage = (url: URL, communityHost: string): boolean =>
  url.protocol === 'https:' &&
  (url.host === communityHost || url.host === `www.${communityHost}`) &&
  url.username === '' &&
  url.password === '' &&
  url.hash === '' &&
  (url.pathname === '/tradeoffer/new' || url.pathname === '/tradeoffer/new/')
