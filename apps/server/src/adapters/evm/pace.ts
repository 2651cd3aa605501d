// How many calls a second one address of a node is asked. Providers count by key, each call of a batch apart,
// and some close an account that goes on after it was refused.
import type { Clock } from '#infra/process/clock'

export interface Pace {
  /** Waits for the turn of so many calls that go out together. */
  turn(calls: number): Promise<void>
}

/** What was not used in a second may be used at once. */
const BURST_MS = 1000

export function createPace({
  callsPerSecond,
  clock,
  pause,
}: {
  /** 0: no pace. */
  readonly callsPerSecond: number
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
}): Pace {
  if (callsPerSecond === 0) return { turn: async () => {} }
  const spacingMs = 1000 / callsPerSecond
  /** When all calls so far would have gone out one after the other. */
  let spentUntilMs = 0
  return {
    async turn(calls) {
      const nowMs = clock.now().getTime()
      spentUntilMs = Math.max(spentUntilMs, nowMs - BURST_MS) + calls * spacingMs
      await pause(spentUntilMs - nowMs)
    },
  }
}
