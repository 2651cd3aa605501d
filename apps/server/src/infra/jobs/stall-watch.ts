// Notices when this process did not run for a while: suspended, or its event loop blocked. A timeout in such
// a time says nothing of the other side, whose answer may have been waiting to be read.
export interface StallWatch {
  /** The process stood still at some moment since then (of `performance.now()`). */
  stalledSince(sinceMs: number): boolean
  stop(): void
}

const TICK_MS = 250
/** A tick this late is a stall. */
const STALL_MS = 1000

export function startStallWatch(): StallWatch {
  let tickedAtMs = performance.now()
  let stalledAtMs = Number.NEGATIVE_INFINITY
  const tick = (): void => {
    const nowMs = performance.now()
    if (nowMs - tickedAtMs >= TICK_MS + STALL_MS) stalledAtMs = nowMs
    tickedAtMs = nowMs
  }
  const timer = setInterval(tick, TICK_MS).unref()
  return {
    stalledSince: (sinceMs) => {
      // After a stall the timer of the caller may fire before the tick.
      tick()
      return stalledAtMs >= sinceMs
    },
    stop: () => clearInterval(timer),
  }
}
