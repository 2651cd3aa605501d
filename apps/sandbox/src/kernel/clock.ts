/** Where every time in the sandbox comes from, so that tests can move it by hand. */
export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  set(nowMs: number): void
}

export function manualClock(startMs: number): ManualClock {
  let current = startMs
  return {
    nowMs: () => current,
    set(nowMs) {
      current = nowMs
    },
  }
}
