// Market B's answers to a purchase, as the port states them. A refusal is status 200 with a text; what the
// list does not have is unknown, because money may have moved.
import { cut } from '#kernel/text'
import type { FailureCode, PurchaseAnswer } from '#ports/buying'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  own,
  priceOf,
  servedOf,
  smallIntegerOf,
  textOf,
} from '../shared/reader.ts'

interface Verdict {
  readonly code: FailureCode
  readonly alarm?: true
  readonly account?: 'no_funds' | 'forbidden'
}

const BAN_TEXT = /has vacban or game ban/

const BY_TEXT: readonly (readonly [RegExp, Verdict])[] = [
  [/^price changed/, { code: 'PRICE_CHANGED' }],
  [/^item sold/, { code: 'LISTING_UNAVAILABLE' }],
  [/^nofunds|not enough balance/, { code: 'MARKET_UNAVAILABLE', alarm: true, account: 'no_funds' }],
  [/^buy_csgo/, { code: 'MARKET_UNAVAILABLE', alarm: true }],
  [/banned for not accepting trades/, { code: 'BUYER_TRADE_RESTRICTED' }],
  [BAN_TEXT, { code: 'STEAM_ACCOUNT_RESTRICTED' }],
]

/** Texts about the recipient's link: refusals of a purchase and ends of an order share them. */
const LINK_TEXT = /^invalid (buyer )?tradelink|couldn't validate your trade link/

export const isLinkText = (text: string): boolean => LINK_TEXT.test(plain(text))

export const isBanText = (text: string): boolean => BAN_TEXT.test(plain(text))

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined when the text is no JSON. */
  readonly body: unknown
}

/**
 * Why the market does not serve our account at all; null when the answer is about the call. A key or an
 * address that is not allowed is refused by a gate before the market, with status 403 and a plain text.
 */
export function accountRefusal(answer: RawAnswer): string | null {
  const { status, body } = answer
  const fields = fieldsOf(body)
  const msg = wordsOf(answer)
  if (OF_ADDRESS.test(msg)) return 'You need to whitelist your IP'
  if (fields !== null && /^wrong api/.test(msg)) return 'wrong api key'
  // A page in HTML may come from any proxy on the way and proves nothing.
  const isPlainText = fields === null && !msg.startsWith('<')
  return status === 403 && isPlainText ? `forbidden: ${cut(msg, 100)}` : null
}

const OF_ADDRESS = /need to whitelist your ip/

const wordsOf = ({ text, body }: RawAnswer): string => {
  const fields = fieldsOf(body)
  return plain(textOf(fields === null ? text : own(fields, 'msg')) ?? '')
}

/** Of our address, not of our key: the market itself never saw the call, and may see the next one. */
const isForbidden = (answer: RawAnswer): boolean =>
  answer.status === 403 || OF_ADDRESS.test(wordsOf(answer))

/** As often as our balance is read, which is what finds out that we are served again. */
const FORBIDDEN_RETRY_MS = 60_000

export function readPurchaseAnswer(raw: RawAnswer): PurchaseAnswer {
  if (raw.status === 429) {
    return { kind: 'not-sent', detail: 'too many requests', retryAfterMs: retryAfterMs(raw) }
  }
  const refusal = accountRefusal(raw)
  if (refusal !== null && isForbidden(raw)) {
    return {
      ...{ kind: 'not-sent', detail: refusal, retryAfterMs: FORBIDDEN_RETRY_MS },
      account: 'forbidden',
    }
  }
  if (refusal !== null) return refused(OF_THE_KEY, refusal)
  const fields = servedOf(raw)
  if (fields === null) {
    return { kind: 'unknown', detail: `status ${raw.status} without an object to read` }
  }
  const success = flagOf(own(fields, 'success'))
  const orderId = idOf(own(fields, 'id'))
  if (success === true) return accepted(orderId, fields)
  const detail = detailOf(fields)
  if (success === null) return { kind: 'unknown', detail: `no success flag: ${detail}` }
  if (orderId !== null) {
    return { kind: 'unknown', detail: `failure with order id ${orderId}: ${detail}` }
  }
  const text = plain(textOf(own(fields, 'msg')) ?? '')
  if (isLinkText(text)) return refused({ code: 'TRADE_URL_INVALID' }, detail)
  const verdict = BY_TEXT.find(([pattern]) => pattern.test(text))?.[1]
  return verdict === undefined ? { kind: 'unknown', detail } : refused(verdict, detail)
}

function accepted(orderId: string | null, fields: Fields): PurchaseAnswer {
  const paidMills = priceOf(own(fields, 'price'))
  if (orderId === null || paidMills === null) {
    return { kind: 'unknown', detail: 'success without an order id or a price' }
  }
  return { kind: 'accepted', orderId, paidMills }
}

const OF_THE_KEY: Verdict = { code: 'MARKET_UNAVAILABLE', alarm: true, account: 'forbidden' }

const refused = ({ code, alarm, account }: Verdict, detail: string): PurchaseAnswer => ({
  kind: 'refused',
  code,
  detail,
  ...(alarm === true ? { alarm } : {}),
  ...(account && { account }),
})

const MOST_WAIT_MS = 120_000

/** How long market B wants to be left alone: a header in seconds, or a field in milliseconds. */
export function retryAfterMs({ headers, body }: RawAnswer): number {
  const seconds = smallIntegerOf(headers['retry-after'])
  const fields = fieldsOf(body)
  const fromBody = fields === null ? null : smallIntegerOf(own(fields, 'msBeforeNext'))
  const waitMs = fromBody ?? (seconds === null ? null : seconds * 1000) ?? 1_000
  return Math.min(MOST_WAIT_MS, Math.max(100, waitMs))
}

/** The supplier's own text, short enough for a column. */
export function detailOf(fields: Fields): string {
  const newPrice = textOf(own(fields, 'new_price'))
  const msg = textOf(own(fields, 'msg')) ?? 'no text'
  return cut(`${msg}${newPrice === null ? '' : ` (now ${newPrice})`}`, 500)
}

/** Lower case, plain apostrophes, single spaces. */
export function plain(text: string): string {
  return text.trim().toLowerCase().replace(/[’`]/g, "'").replace(/\s+/g, ' ')
}
