import { isNoticeWord } from '../notices/faults.ts'

/** What goes wrong with one call that creates an order. */
export type CreateFault =
  | { readonly kind: 'lost_reply'; readonly isPlaced: boolean }
  | { readonly kind: 'http_500'; readonly isPlaced: boolean }
  | { readonly kind: 'html_200'; readonly isPlaced: boolean }
  | { readonly kind: 'too_many_requests' }
  | { readonly kind: 'reject'; readonly code: string }
  | { readonly kind: 'slow'; readonly durationMs: number }

/** What is false in the next answer to an order query. */
export type QueryFault =
  /** The sum differs from the payments that are listed. */
  | { readonly kind: 'false_total'; readonly amount: string }
  /** A payment that never happened. */
  | { readonly kind: 'false_payment'; readonly amount: string }
  /** The order of another merchant number. */
  | { readonly kind: 'other_order' }
  | { readonly kind: 'http_500' }
  | { readonly kind: 'lost_reply' }

/** What happens at once, without a call. */
export type GatewayEvent = 'replay_notices' | { readonly lookupBlindMs: number }

export type Queue = 'create' | 'query' | 'payment' | 'notice'
export const QUEUES: readonly Queue[] = ['create', 'query', 'payment', 'notice']

const CREATE_WORDS: Readonly<Record<string, CreateFault>> = {
  lost_reply_placed: { kind: 'lost_reply', isPlaced: true },
  lost_reply_not_placed: { kind: 'lost_reply', isPlaced: false },
  http_500: { kind: 'http_500', isPlaced: false },
  'http_500+placed': { kind: 'http_500', isPlaced: true },
  html_200: { kind: 'html_200', isPlaced: false },
  'html_200+placed': { kind: 'html_200', isPlaced: true },
  '429': { kind: 'too_many_requests' },
}

export function parseCreateFault(word: string): CreateFault | null {
  if (Object.hasOwn(CREATE_WORDS, word)) return CREATE_WORDS[word] ?? null
  const [, verb, digits] = /^(reject|slow):(\d{1,6})$/.exec(word) ?? []
  if (verb === undefined || digits === undefined) return null
  return verb === 'reject'
    ? { kind: 'reject', code: digits }
    : { kind: 'slow', durationMs: Number(digits) }
}

export function parseQueryFault(word: string): QueryFault | null {
  if (word === 'query_http_500') return { kind: 'http_500' }
  if (word === 'query_lost_reply') return { kind: 'lost_reply' }
  if (word === 'other_order') return { kind: 'other_order' }
  // Any text may follow: what is no amount is a fault of its own.
  const [, kind, amount] = /^(false_total|false_payment):(\S{1,40})$/.exec(word) ?? []
  if (amount === undefined) return null
  return kind === 'false_total'
    ? { kind: 'false_total', amount }
    : { kind: 'false_payment', amount }
}

/** What goes wrong with the next payment. */
export function parsePaymentWord(
  word: string,
): 'blocked' | 'exchange_failed' | { readonly delayMs: number } | null {
  if (word === 'payment_blocked') return 'blocked'
  if (word === 'exchange_failed') return 'exchange_failed'
  const seconds = /^conversion_delay:(\d{1,5})$/.exec(word)?.[1]
  return seconds === undefined ? null : { delayMs: Number(seconds) * 1000 }
}

export function parseGatewayEvent(word: string): GatewayEvent | null {
  if (word === 'replay_notices') return word
  const seconds = /^lookup_blind:(\d{1,4})$/.exec(word)?.[1]
  return seconds === undefined ? null : { lookupBlindMs: Number(seconds) * 1000 }
}

/** The queue of a word that is not an event; null for an unknown word. */
export function queueOf(word: string): Queue | null {
  if (isNoticeWord(word)) return 'notice'
  if (parseQueryFault(word) !== null) return 'query'
  if (parsePaymentWord(word) !== null) return 'payment'
  return parseCreateFault(word) === null ? null : 'create'
}
