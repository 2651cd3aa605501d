import type { Store } from '../store/store.ts'

/** Entries that each change the result of one later call, first to last. Survives a restart. */
export interface FaultScript {
  list(): readonly string[]
  append(entries: readonly string[]): void
  clear(): void
  /** The entry of the call that has just arrived; null when none is queued. */
  take(): string | null
}

/** What goes wrong with one call that creates something, in words that several parties know. */
export type CallFault =
  | { readonly kind: 'lost_reply'; readonly isPlaced: boolean }
  | { readonly kind: 'http_500'; readonly isPlaced: boolean }
  | { readonly kind: 'too_many_requests' }
  | { readonly kind: 'slow'; readonly durationMs: number }

const CALL_WORDS: Readonly<Record<string, CallFault>> = {
  lost_reply_placed: { kind: 'lost_reply', isPlaced: true },
  lost_reply_not_placed: { kind: 'lost_reply', isPlaced: false },
  http_500: { kind: 'http_500', isPlaced: false },
  'http_500+placed': { kind: 'http_500', isPlaced: true },
  '429': { kind: 'too_many_requests' },
}

export function parseCallFault(word: string): CallFault | null {
  if (Object.hasOwn(CALL_WORDS, word)) return CALL_WORDS[word] ?? null
  const durationMs = /^slow:(\d{1,6})$/.exec(word)?.[1]
  return durationMs === undefined ? null : { kind: 'slow', durationMs: Number(durationMs) }
}

/** What a payment provider does at once, without a call. */
export type ProviderEvent = 'replay_notices' | { readonly lookupBlindMs: number }

export function parseProviderEvent(word: string): ProviderEvent | null {
  if (word === 'replay_notices') return word
  const seconds = /^lookup_blind:(\d{1,4})$/.exec(word)?.[1]
  return seconds === undefined ? null : { lookupBlindMs: Number(seconds) * 1000 }
}

export function createFaultScript(store: Store, partyId: string): FaultScript {
  const name = `script:${partyId}`
  let entries = JSON.parse(store.readSetting(name) ?? '[]') as readonly string[]
  const write = (next: readonly string[]): void => {
    entries = next
    store.writeSetting(name, JSON.stringify(entries))
  }
  return {
    list: () => entries,
    append: (more) => write([...entries, ...more]),
    clear: () => write([]),
    take() {
      const [first, ...rest] = entries
      if (first === undefined) return null
      write(rest)
      return first
    },
  }
}
