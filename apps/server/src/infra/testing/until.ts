// Waits for what happens by itself: polls with a deadline, and never sleeps for a fixed time.

const LOOK_EVERY_MS = 25
/** Far beyond what anything takes on a quiet machine: only what never comes may fail a test. */
const DEADLINE_MS = 60_000

/**
 * Returns the first value that is neither false, null nor undefined. After the deadline it throws what it
 * waited for, with the last error.
 */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | false | null | undefined> | Value | false | null | undefined,
  { deadlineMs = DEADLINE_MS, everyMs = LOOK_EVERY_MS } = {},
): Promise<Value> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    let reason = ''
    try {
      const seen = await look()
      if (seen !== false && seen !== null && seen !== undefined) return seen
    } catch (error) {
      reason = `: ${wordsOf(error)}`
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${deadlineMs} ms${reason}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

/** With the cause: `fetch failed` alone says nothing. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}
