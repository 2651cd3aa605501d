import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Yields to other work of the process: long builds call it between their slices. */
export async function yieldTurn(): Promise<void> {
  await nextTurn()
}

/** Waits, or stops waiting when the sandbox closes. Slow answers are the only users. */
export async function waitMs(durationMs: number, stop: AbortSignal): Promise<void> {
  if (durationMs <= 0 || stop.aborted) return
  try {
    await sleep(durationMs, undefined, { signal: stop })
  } catch (error) {
    if (!stop.aborted) throw error
  }
}
