import { decimalToMicros } from '../kernel/micros.ts'
import { isNoticeWord } from '../notices/faults.ts'

/** What is false in the next answer about orders. */
export type QueryFault =
  | { readonly kind: 'http_500' }
  | { readonly kind: 'lost_reply' }
  /** The tokens were sent to another wallet than the merchant's. */
  | { readonly kind: 'other_wallet' }
  /** Any text as the amount that was sent. */
  | { readonly kind: 'false_amount'; readonly amount: string }

export type Queue = 'query' | 'payment' | 'notice'
export const QUEUES: readonly Queue[] = ['query', 'payment', 'notice']

export function parseQueryFault(word: string): QueryFault | null {
  if (word === 'query_http_500') return { kind: 'http_500' }
  if (word === 'query_lost_reply') return { kind: 'lost_reply' }
  if (word === 'other_wallet') return { kind: 'other_wallet' }
  const amount = /^false_amount:(\S{1,40})$/.exec(word)?.[1]
  return amount === undefined ? null : { kind: 'false_amount', amount }
}

/** Hundredths of a token that the next completed order sends in place of the agreed ones. */
export function parseSentAmount(word: string): number | null {
  const amount = /^sends:(\S{1,20})$/.exec(word)?.[1]
  const micros = amount === undefined ? null : decimalToMicros(amount)
  return micros === null ? null : Math.trunc(micros / 10_000)
}

/** The queue of a word that is not an event; null for an unknown word. */
export function queueOf(word: string): Queue | null {
  if (isNoticeWord(word)) return 'notice'
  if (parseQueryFault(word) !== null) return 'query'
  return parseSentAmount(word) === null ? null : 'payment'
}
