import type { MarketId } from '../dataset/types.ts'
import { type OrderPlan, PENALTIES_FORMS, type PenaltiesForm, type Side } from './order.ts'

/** A false or failed response to a purchase call. */
export type ScriptedAnswer =
  | 'reject:sold_out'
  | 'reject:price_changed'
  | 'reject:no_funds'
  | 'reject:unknown'
  | 'lost_reply_placed'
  | 'lost_reply_not_placed'
  | 'http_500'
  | '502'
  | '429'
  | '403'
  | 'html_200'
  | 'success_without_id'
  | 'failure_with_id'

/** What happens to one purchase call. */
export interface PurchaseScript {
  readonly answer: ScriptedAnswer | null
  /** Beside a broken answer (http_500, 502, html_200): the order was placed all the same. */
  readonly isPlacedAnyway: boolean
  readonly slowMs: number
  readonly hiddenForMs: number
  /** A refused attempt is listed under the custom id, whatever became of the call (market B). */
  readonly leavesRefusedRow: boolean
  readonly sellerGivesUp: OrderPlan['sellerGivesUp']
  /** A seller with a lower chance never sends the offer, in percent; 0: as they are. */
  readonly givesUpBelowChance: number
  readonly reversalBy: Side | null
  /** Taken beyond the price that the purchase is answered with. */
  readonly overchargeMills: number
  /** When the order ends, its row says so, and the money stays with the market. */
  readonly withholdsRefund: boolean
  /** What the row of its reversal shows as `penalties` (market B); null: what market B charges. */
  readonly penalties: PenaltiesForm | null
}

/** What happens at once, without a purchase. */
export type ScriptedEvent =
  | { readonly kind: 'cut_sockets' }
  | { readonly kind: 'expire_tokens' }
  | { readonly kind: 'duplicate_messages' }
  /** The answer to the next cancel is lost, after its effect or instead of it. */
  | { readonly kind: 'lose_cancel'; readonly isDone: boolean }
  | { readonly kind: 'blind_lookups'; readonly durationMs: number }

export type ScriptEntry =
  | { readonly kind: 'purchase'; readonly script: PurchaseScript }
  | { readonly kind: 'event'; readonly event: ScriptedEvent }

export const PLAIN_PURCHASE: PurchaseScript = {
  answer: null,
  isPlacedAnyway: false,
  slowMs: 0,
  hiddenForMs: 0,
  leavesRefusedRow: false,
  sellerGivesUp: null,
  givesUpBelowChance: 0,
  reversalBy: null,
  overchargeMills: 0,
  withholdsRefund: false,
  penalties: null,
}

const UNLIKELY_BELOW = 90

const ANSWERS: readonly string[] = [
  'reject:sold_out',
  'reject:price_changed',
  'reject:no_funds',
  'reject:unknown',
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500',
  '502',
  '429',
  '403',
  'html_200',
  'success_without_id',
  'failure_with_id',
] satisfies ScriptedAnswer[]

/**
 * One entry of a script: a word, or several for one and the same purchase joined by `+`
 * (`lost_reply_placed+lookup_blind:5`). Null when a word is unknown or not of this market.
 */
export function parseScriptEntry(market: MarketId, entry: string): ScriptEntry | null {
  const event = parseEvent(market, entry)
  if (event !== null) return { kind: 'event', event }
  let script = PLAIN_PURCHASE
  for (const word of entry.split('+')) {
    const more = parsePurchaseWord(market, word)
    if (more === null || (more.answer != null && script.answer !== null)) return null
    script = { ...script, ...more }
  }
  return { kind: 'purchase', script }
}

function parseEvent(market: MarketId, word: string): ScriptedEvent | null {
  if (word === 'socket_cut') return { kind: 'cut_sockets' }
  if (word === 'duplicate_news') return { kind: 'duplicate_messages' }
  if (word === 'lost_cancel_done') return { kind: 'lose_cancel', isDone: true }
  if (word === 'lost_cancel_not_done') return { kind: 'lose_cancel', isDone: false }
  // Only market A gives out tokens for its socket.
  if (word === 'token_expired' && market === 'market_a') return { kind: 'expire_tokens' }
  const seconds = numberAfter('lookup_blind:', word)
  return seconds === null ? null : { kind: 'blind_lookups', durationMs: seconds * 1000 }
}

function parsePurchaseWord(market: MarketId, word: string): Partial<PurchaseScript> | null {
  if (ANSWERS.includes(word)) return { answer: word as ScriptedAnswer }
  switch (word) {
    case 'placed':
      return { isPlacedAnyway: true }
    case 'seller_cancels':
      return { sellerGivesUp: 'before_offer' }
    case 'seller_cancels_offer':
      return { sellerGivesUp: 'after_offer' }
    // Only market A says how likely a seller delivers.
    case 'unlikely_seller_cancels':
      return market === 'market_a' ? { givesUpBelowChance: UNLIKELY_BELOW } : null
    case 'extra_status_6':
      return market === 'market_b' ? { leavesRefusedRow: true } : null
    case 'reversal_by:user':
      return { reversalBy: 'buyer' }
    case 'reversal_by:supplier':
      return { reversalBy: 'seller' }
    case 'refund_withheld':
      return { withholdsRefund: true }
  }
  const penalties = PENALTIES_FORMS.find((form) => word === `penalties:${form}`)
  if (penalties !== undefined) return market === 'market_b' ? { penalties } : null
  const overchargeMills = numberAfter('overcharge:', word)
  if (overchargeMills !== null) return { overchargeMills }
  const slowMs = numberAfter('slow:', word)
  if (slowMs !== null) return { slowMs }
  const seconds = numberAfter('lookup_blind:', word)
  return seconds === null ? null : { hiddenForMs: seconds * 1000 }
}

function numberAfter(prefix: string, word: string): number | null {
  if (!word.startsWith(prefix)) return null
  const digits = word.slice(prefix.length)
  return /^\d{1,6}$/.test(digits) ? Number(digits) : null
}
