// What we believe of a rate source. A source can be wrong, and a wrong rate sells below cost.
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

/** Why the news is not believed, or null when it is. */
export function doubt(news: Rate, known: Rate | null, now: Date): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(news.asOf) || Number.isNaN(Date.parse(news.asOf))) {
    return `names no day: ${JSON.stringify(news.asOf.slice(0, 40))}`
  }
  // A source east of us may be a day ahead.
  if (ageDays(news, now) < -1) return `is of the future: ${news.asOf}`
  if (news.usdPerEurMicros < LEAST_MICROS || news.usdPerEurMicros > MOST_MICROS) {
    return `is out of all bounds: ${news.usdPerEurMicros} micros`
  }
  if (known === null || isTooOld(known, now)) return null
  if (news.asOf < known.asOf)
    return `is older than the one known: ${news.asOf} before ${known.asOf}`
  const step = news.usdPerEurMicros - known.usdPerEurMicros
  const size = step < 0n ? -step : step
  return size * 100n > known.usdPerEurMicros * MAX_STEP_PERCENT
    ? `jumps from ${known.usdPerEurMicros} to ${news.usdPerEurMicros} micros`
    : null
}
