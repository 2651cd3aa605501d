import { CALL_KINDS, type CallKind } from './call-kinds.ts'

/** What goes wrong with one send of a bot. */
export type SendFault =
  | { readonly kind: 'lost_reply'; readonly isPlaced: boolean }
  | { readonly kind: 'http_500'; readonly isPlaced: boolean }
  | { readonly kind: 'reject'; readonly result: number }
  | { readonly kind: 'session_lost' }
  | { readonly kind: 'too_many_requests' }
  | { readonly kind: 'slow'; readonly durationMs: number }

/** The trade of the next offer that is sent stays at status 2, with new ids of its items or without. */
export type TradeFault = 'status_2' | 'status_2_bare'

/** What a script is filled with, by the calls to which its words apply. */
export type ScriptQueue = 'send' | 'trade' | 'hold' | 'own hold' | 'items' | `429:${CallKind}`

export const SCRIPT_QUEUES: readonly ScriptQueue[] = [
  'send',
  'trade',
  'hold',
  'own hold',
  'items',
  ...CALL_KINDS.map((kind) => `429:${kind}` as const),
]

const OTHER_QUEUES: Readonly<Record<string, ScriptQueue>> = {
  status_2: 'trade',
  status_2_bare: 'trade',
  hold_empty: 'hold',
  hold_403: 'hold',
  my_hold: 'own hold',
  hidden_items: 'items',
  ...Object.fromEntries(CALL_KINDS.map((kind) => [`429:${kind}`, `429:${kind}`] as const)),
}

/** Whether it is a word for another call than a send. */
export const isOtherFault = (word: string): boolean => Object.hasOwn(OTHER_QUEUES, word)

export const queueOf = (word: string): ScriptQueue => OTHER_QUEUES[word] ?? 'send'

/** What happens at once, without a send. */
export type PlatformEvent =
  | 'end_sessions'
  | 'foreign_confirmation'
  | { readonly refuseReads: number }

const WORDS: Readonly<Record<string, SendFault>> = {
  lost_reply_placed: { kind: 'lost_reply', isPlaced: true },
  lost_reply_not_placed: { kind: 'lost_reply', isPlaced: false },
  http_500: { kind: 'http_500', isPlaced: false },
  'http_500+placed': { kind: 'http_500', isPlaced: true },
  session_lost: { kind: 'session_lost' },
  '429': { kind: 'too_many_requests' },
}

export function parseSendFault(word: string): SendFault | null {
  if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null
  const [, verb, digits] = /^(reject|slow):(\d{1,6})$/.exec(word) ?? []
  if (verb === 'reject') return { kind: 'reject', result: Number(digits) }
  return verb === 'slow' ? { kind: 'slow', durationMs: Number(digits) } : null
}

export function parsePlatformEvent(word: string): PlatformEvent | null {
  if (word === 'end_sessions' || word === 'foreign_confirmation') return word
  const digits = /^refuse_reads:(\d{1,3})$/.exec(word)?.[1]
  return digits === undefined ? null : { refuseReads: Number(digits) }
}
