// How the calls of this process to parties outside have ended: when each last answered and failed, and how
// often.
import type { Clock } from '../process/clock.ts'

export interface CallOutcomes {
  readonly answeredAt: Date | null
  readonly failedAt: Date | null
  /** In a row, since the last answer. */
  readonly failures: number
  readonly callsOfMinute: number
  readonly failuresOfMinute: number
}

export interface OutcomeLog {
  note(party: string, wentWell: boolean): void
  /** Null: it was never called. */
  of(party: string): CallOutcomes | null
}

const SLICE_MS = 5000
const SLICES = 60_000 / SLICE_MS

interface Slice {
  readonly number: number
  calls: number
  failures: number
}

interface Known {
  answeredAt: Date | null
  failedAt: Date | null
  failures: number
  slices: Slice[]
}

export function createOutcomeLog(clock: Clock): OutcomeLog {
  const parties = new Map<string, Known>()
  const sliceOf = (at: Date): number => Math.floor(at.getTime() / SLICE_MS)
  const ofMinute = ({ slices }: Known): Slice[] => {
    const oldest = sliceOf(clock.now()) - SLICES
    return slices.filter(({ number }) => number > oldest)
  }
  return {
    note: (party, wentWell) => {
      const known = parties.get(party) ?? {
        ...{ answeredAt: null, failedAt: null, failures: 0 },
        slices: [],
      }
      parties.set(party, known)
      const at = clock.now()
      known.slices = ofMinute(known)
      const newest = known.slices.at(-1)
      const number = sliceOf(at)
      const slice = newest?.number === number ? newest : { number, calls: 0, failures: 0 }
      if (slice !== newest) known.slices.push(slice)
      slice.calls += 1
      if (wentWell) {
        known.answeredAt = at
        known.failures = 0
      } else {
        known.failedAt = at
        known.failures += 1
        slice.failures += 1
      }
    },
    of: (party) => {
      const known = parties.get(party)
      if (known === undefined) return null
      const { answeredAt, failedAt, failures } = known
      const recent = ofMinute(known)
      return {
        ...{ answeredAt, failedAt, failures },
        callsOfMinute: recent.reduce((sum, { calls }) => sum + calls, 0),
        failuresOfMinute: recent.reduce((sum, slice) => sum + slice.failures, 0),
      }
    },
  }
}
