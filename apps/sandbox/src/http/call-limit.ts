import type { Clock } from '../kernel/clock.ts'

/** Counts calls in a window that slides exactly: no burst at the edge of a minute is forgiven. */
export interface CallLimit {
  /** Counts one call. 0 when it is allowed, else the milliseconds until one would be. */
  spend(who: string, most: number): number
}

export function createCallLimit(clock: Clock, windowMs: number): CallLimit {
  const calls = new Map<string, number[]>()
  return {
    spend(who, most) {
      const nowMs = clock.nowMs()
      const recent = (calls.get(who) ?? []).filter((atMs) => atMs > nowMs - windowMs)
      calls.set(who, recent)
      const oldest = recent[recent.length - most]
      if (oldest !== undefined) return oldest + windowMs - nowMs
      recent.push(nowMs)
      return 0
    },
  }
}
