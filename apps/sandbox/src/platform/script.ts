/** What goes wrong with one send of a bot. */
export type SendFault =
  | { readonly kind: 'lost_reply'; readonly isPlaced: boolean }
  | { readonly kind: 'http_500'; readonly isPlaced: boolean }
  | { readonly kind: 'reject'; readonly result: number }
  | { readonly kind: 'session_lost' }
  | { readonly kind: 'too_many_requests' }
  | { readonly kind: 'slow'; readonly durationMs: number }

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
