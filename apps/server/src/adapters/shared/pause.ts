import { setTimeout as sleep } from 'node:timers/promises'

/** Waits; an abort ends the wait early and is no error. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal })
  } catch {
    // Aborted: the caller looks at the signal.
  }
}
