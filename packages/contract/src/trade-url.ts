/** The longest text that is read as a trade URL. */
export const MAX_TRADE_URL_LENGTH = 2048

const MAX_PARTNER = 4_294_967_295
const PARTNER = /^[1-9]\d{0,9}$/
const TOKEN = /^[A-Za-z0-9_-]{8}$/

export interface ReadTradeUrl {
  /** 32-bit account id of the game platform. */
  readonly partner: number
  readonly token: string
  /** The one spelling under which it is stored, compared and shown. */
  readonly url: string
}

/**
 * A trade URL of the game platform's community host, as people paste it: with further parameters, a fragment,
 * a host in any case, white space around. Null for every other text; says nothing of whether the platform
 * knows it.
 */
export function readTradeUrl(text: string, communityHost: string): ReadTradeUrl | null {
  const pasted = text.trim()
  // The URL parser forgives line breaks, tabs and backslashes; the platform's pages do not.
  if (text.length > MAX_TRADE_URL_LENGTH || !/^https:\/\/[^\s\\\p{Cc}]+$/iu.test(pasted))
    return null
  if (!URL.canParse(pasted)) return null
  const url = new URL(pasted)
  if (!isTradeOfferPage(url, communityHost)) return null
  const partner = onlyOne(url.searchParams.getAll('partner'))
  const token = onlyOne(url.searchParams.getAll('token'))
  if (!PARTNER.test(partner) || Number(partner) > MAX_PARTNER || !TOKEN.test(token)) return null
  return {
    partner: Number(partner),
    token,
    url: `https://${communityHost}/tradeoffer/new/?partner=${partner}&token=${token}`,
  }
}

/** Of two different values one might be checked and the other used. */
const onlyOne = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? '') : ''

const isTradeOfferPage = (url: URL, communityHost: string): boolean =>
  (url.host === communityHost || url.host === `www.${communityHost}`) &&
  url.username === '' &&
  url.password === '' &&
  (url.pathname === '/tradeoffer/new' || url.pathname === '/tradeoffer/new/')
