// What became of a send. The platform has no key against doubles: whatever is not certain is unknown, and an
// unknown send is looked for and never repeated.
import { cut } from '#kernel/text'
import type { PlatformRejection } from '#ports/selling'
import { type Fields, idOf, own, textOf } from '../shared/reader.ts'

export type SendAnswer =
  | { readonly kind: 'sent'; readonly offerId: string }
  | { readonly kind: 'rejected'; readonly reason: PlatformRejection; readonly detail: string }
  | { readonly kind: 'limited'; readonly detail: string }
  | { readonly kind: 'unknown'; readonly detail: string }

/** Sentences that say more than the number at their end. */
const SENTENCES: readonly (readonly [RegExp, PlatformRejection])[] = [
  [/you cannot trade with .{0,200} because they have a trade ban/is, 'trade_ban'],
  [/you have logged in from a new device/i, 'bot_restricted'],
  [/is not available to trade\. more information will be shown to/i, 'target_cannot_trade'],
  [/sent too many trade offers/i, 'offer_limit'],
  [/trade url is no longer valid/i, 'url_invalid'],
  [/inventory (is|would be) (too )?full/i, 'inventory_full'],
  [/on trade probation|trade probation/i, 'probation'],
]

/** EResults after which nothing has happened. 2, 11, 16 and 20 are not among them: it may have. */
const RESULTS: Readonly<Record<number, PlatformRejection>> = {
  15: 'target_cannot_trade',
  25: 'offer_limit',
  26: 'items_gone',
}
const RATE_LIMITED = 84

export function readSendAnswer(status: number, body: Fields | null): SendAnswer {
  const error = textOf(own(body ?? {}, 'strError'))
  if (error !== null) return readError(error)
  const offerId = idOf(own(body ?? {}, 'tradeofferid'))
  if (status === 200 && offerId !== null) return { kind: 'sent', offerId }
  return { kind: 'unknown', detail: `a send was answered with status ${status} and no words` }
}

function readError(error: string): SendAnswer {
  const words = error.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  const detail = cut(words.trim(), 300)
  for (const [pattern, reason] of SENTENCES) {
    if (pattern.test(detail)) return { kind: 'rejected', reason, detail }
  }
  const result = Number(/\((\d{1,4})\)$/.exec(detail)?.[1] ?? Number.NaN)
  if (result === RATE_LIMITED) return { kind: 'limited', detail }
  const reason = Object.hasOwn(RESULTS, result) ? RESULTS[result] : undefined
  return reason === undefined ? { kind: 'unknown', detail } : { kind: 'rejected', reason, detail }
}
