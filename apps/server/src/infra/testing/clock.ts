import type { Clock } from '../process/clock.ts'

export interface ManualClock extends Clock {
  advance(milliseconds: number): void
  set(to: Date): void
}

export function manualClock(start: Date = new Date()): ManualClock {
  let at = start.getTime()
  return {
    now: () => new Date(at),
    advance: (milliseconds) => {
      at += milliseconds
    },
    set: (to) => {
      at = to.getTime()
    },
  }
}
