import { decimalToMicros } from '../kernel/micros.ts'
import { isNoticeWord } from '../notices/faults.ts'

/** What goes wrong with one call that creates an order. */
export type CreateFault =
  | { readonly kind: 'lost_reply'; readonly isPlaced: boolean }
  | { readonly kind: 'http_500'; readonly isPlaced: boolean }
  | { readonly kind: 'too_many_requests' }
  | { readonly kind: 'slow'; readonly durationMs: number }

/** What is false in the next answer about orders. */
export type QueryFault =
  | { readonly kind: 'http_500' }
  | { readonly kind: 'lost_reply' }
  /** The tokens were sent to another wallet than the merchant's. */
  | { readonly kind: 'other_wallet' }
  /** Any text as the amount that was sent. */
  | { readonly kind: 'false_amount'; readonly amount: string }

export type OnrampEvent = 'replay_notices' | { readonly lookupBlindMs: number }

export type Queue = 'create' | 'query' | 'payment' | 'notice'
export const QUEUES: readonly Queue[] = ['create', 'query', 'payment', 'notice']

const CREATE_WORDS: Readonly<Record<string, CreateFault>> = {
  lost_reply_placed: { kind: 'lost_reply', isPlaced: true },
  lost_reply_not_placed: { kind: 'lost_reply', isPlaced: false },
  http_500: { kind: 'http_500', isPlaced: false },
  'http_500+placed': { kind: 'http_500', isPlaced: true },
  '429': { kind: 'too_many_requests' },
}

export function parseCreateFault(word: string): CreateFault | null {
  if (Object.hasOwn(CREATE_WORDS, word)) return CREATE_WORDS[word] ?? null
  const digits = /^slow:(\d{1,6})$/.exec(word)?.[1]
  return digits === undefined ? null : { kind: 'slow', durationMs: Number(digits) }
}

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

export function parseOnrampEvent(word: string): OnrampEvent | null {
  if (word === 'replay_notices') return word
  const seconds = /^lookup_blind:(\d{1,4})$/.exec(word)?.[1]
  return seconds === undefined ? null : { lookupBlindMs: Number(seconds) * 1000 }
}

/** The queue of a word that is not an event; null for an unknown word. */
export function queueOf(word: string): Queue | null {
  if (isNoticeWord(word)) return 'notice'
  if (parseQueryFault(word) !== null) return 'query'
  if (parseSentAmount(word) !== null) return 'payment'
  return parseCreateFault(word) === null ? null : 'create'
}
