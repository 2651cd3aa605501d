// What a rate of the source must be like to be used. A source can be wrong, and a wrong rate sells below
// cost.
import type { Rate } from './rate.ts'

const DAY_MS = 86_400_000
const MAX_AGE_DAYS = 7
/** Reference rates have never moved so far between two publications. */
const MAX_STEP_PERCENT = 10n
const LEAST_MICROS = 500_000n
const MOST_MICROS = 2_000_000n

/** Whole days from the rate's day to `now`, both in UTC. */
export const ageDays = (rate: Rate, now: Date): number =>
  Math.floor((now.getTime() - Date.parse(rate.asOf)) / DAY_MS)

export const isTooOld = (rate: Rate, now: Date): boolean => ageDays(rate, now) > MAX_AGE_DAYS

/** Why a fetched rate is rejected; null when it is not. */
export function rejectReason(fetched: Rate, known: Rate | null, now: Date): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(fetched.asOf) || Number.isNaN(Date.parse(fetched.asOf))) {
    return `names no day: ${JSON.stringify(fetched.asOf.slice(0, 40))}`
  }
  // A source east of us may be a day ahead.
  if (ageDays(fetched, now) < -1) return `is of the future: ${fetched.asOf}`
  if (fetched.usdPerEurMicros < LEAST_MICROS || fetched.usdPerEurMicros > MOST_MICROS) {
    return `is out of all bounds: ${fetched.usdPerEurMicros} micros`
  }
  if (known === null || isTooOld(known, now)) return null
  if (fetched.asOf < known.asOf)
    return `is older than the one known: ${fetched.asOf} before ${known.asOf}`
  const step = fetched.usdPerEurMicros - known.usdPerEurMicros
  const size = step < 0n ? -step : step
  return size * 100n > known.usdPerEurMicros * MAX_STEP_PERCENT
    ? `jumps from ${known.usdPerEurMicros} to ${fetched.usdPerEurMicros} micros`
    : null
}
