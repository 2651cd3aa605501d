// What happened in the last minute or so, for those who were away for less: the latest event of each
// listing, in the order in which it came.
import type { ListingEvent } from '#catalog'

export interface Recent {
  add(events: readonly ListingEvent[], nowMs: number): void
  /** All events from that moment on; null when not all of it is known any more. */
  since(sinceMs: number): readonly ListingEvent[] | null
  /** Knows of nothing before that moment. */
  begin(fromMs: number): void
}

const KEPT_MS = 120_000
/** Some 30 MB of listings. */
const MAX_KEPT = 20_000

export function createRecent(): Recent {
  const latest = new Map<bigint, ListingEvent>()
  let fromMs = Number.POSITIVE_INFINITY
  return {
    begin: (beginMs) => {
      latest.clear()
      fromMs = beginMs
    },
    add: (events, nowMs) => {
      for (const one of events) {
        latest.delete(one.id)
        latest.set(one.id, one)
      }
      for (const [id, { atMs }] of latest) {
        if (atMs >= nowMs - KEPT_MS && latest.size <= MAX_KEPT) break
        latest.delete(id)
        fromMs = Math.max(fromMs, atMs + 1)
      }
    },
    since: (sinceMs) => {
      if (sinceMs < fromMs) return null
      return [...latest.values()].filter(({ atMs }) => atMs >= sinceMs)
    },
  }
}
