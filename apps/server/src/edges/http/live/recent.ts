// What happened in the last minute or so, for those who were away for less: the latest change of each
// listing, in the order in which they came.
import type { LiveChange } from './live-change.ts'

export interface Recent {
  add(changes: readonly LiveChange[], nowMs: number): void
  /** All changes from that moment on; null when not all of it is known any more. */
  since(sinceMs: number): readonly LiveChange[] | null
  /** Knows of nothing before that moment. */
  begin(fromMs: number): void
}

const KEPT_MS = 120_000
/** Some 30 MB of listings. */
const MAX_KEPT = 20_000

export function createRecent(): Recent {
  const latest = new Map<bigint, LiveChange>()
  let fromMs = Number.POSITIVE_INFINITY
  return {
    begin: (beginMs) => {
      latest.clear()
      fromMs = beginMs
    },
    add: (changes, nowMs) => {
      for (const one of changes) {
        latest.delete(one.event.id)
        latest.set(one.event.id, one)
      }
      for (const [id, { event }] of latest) {
        if (event.atMs >= nowMs - KEPT_MS && latest.size <= MAX_KEPT) break
        latest.delete(id)
        fromMs = Math.max(fromMs, event.atMs + 1)
      }
    },
    since: (sinceMs) => {
      if (sinceMs < fromMs) return null
      return [...latest.values()].filter(({ event }) => event.atMs >= sinceMs)
    },
  }
}
