import { isNoticeWord } from '../notices/faults.ts'
import { type CallFault, parseCallFault } from '../party/fault-script.ts'

/** What goes wrong with one call that creates an order. */
export type CreateFault =
  | CallFault
  | { readonly kind: 'html_200'; readonly isPlaced: boolean }
  | { readonly kind: 'reject'; readonly code: string }

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

export type Queue = 'create' | 'query' | 'payment' | 'notice'
export const QUEUES: readonly Queue[] = ['create', 'query', 'payment', 'notice']

export function parseCreateFault(word: string): CreateFault | null {
  if (word === 'html_200') return { kind: 'html_200', isPlaced: false }
  if (word === 'html_200+placed') return { kind: 'html_200', isPlaced: true }
  const code = /^reject:(\d{1,6})$/.exec(word)?.[1]
  return code === undefined ? parseCallFault(word) : { kind: 'reject', code }
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

/** The queue of a word that is not an event; null for an unknown word. */
export function queueOf(word: string): Queue | null {
  if (isNoticeWord(word)) return 'notice'
  if (parseQueryFault(word) !== null) return 'query'
  if (parsePaymentWord(word) !== null) return 'payment'
  return parseCreateFault(word) === null ? null : 'create'
}
