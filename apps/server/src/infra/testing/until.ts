// Waits for what happens by itself: polls with a deadline, and never sleeps for a fixed time.

const LOOK_EVERY_MS = 25
/**
 * What has taken long is looked for less often: dozens of tests that wait for a hold, each with a request
 * every 25 ms, took the processors from what they waited for.
 */
const SHARE_OF_WAIT = 0.05
const MOST_MS = 300
/** Far beyond what anything takes on a quiet machine: only what never comes may fail a test. */
const DEADLINE_MS = 60_000

/** Thrown by a look: what is waited for cannot come any more. */
export class CannotCome extends Error {}

/**
 * Returns the first value that is neither false, null nor undefined. After the deadline it throws what it
 * waited for, with the last error; at once the reason of a signal, and a CannotCome.
 */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | false | null | undefined> | Value | false | null | undefined,
  { deadlineMs = DEADLINE_MS, everyMs = LOOK_EVERY_MS, signal }: UntilOptions = {},
): Promise<Value> {
  const begunAt = Date.now()
  const deadline = begunAt + deadlineMs
  for (;;) {
    signal?.throwIfAborted()
    let reason = ''
    try {
      const seen = await look()
      if (seen !== false && seen !== null && seen !== undefined) return seen
    } catch (error) {
      if (error instanceof CannotCome) throw new Error(`${what}: ${error.message}`)
      reason = `: ${wordsOf(error)}`
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${deadlineMs} ms${reason}`)
    const slowerMs = Math.min(MOST_MS, (Date.now() - begunAt) * SHARE_OF_WAIT)
    await new Promise((resolve) => setTimeout(resolve, Math.max(everyMs, slowerMs)))
  }
}

export interface UntilOptions {
  readonly deadlineMs?: number
  readonly everyMs?: number
  readonly signal?: AbortSignal
}

/** With the cause: `fetch failed` alone says nothing. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}
