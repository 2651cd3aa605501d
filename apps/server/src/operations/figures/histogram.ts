// Times as a histogram whose buckets are the same at all times, so that hours add up to days. Each bound of a
// bucket is a quarter above the one before: a quantile is at most an eighth off.

const RATIO = 1.25

/** The bucket of a time; 0 is for all up to a second. */
export const bucketOf = (ms: number): number =>
  ms <= 1000 ? 0 : Math.ceil(Math.log(ms / 1000) / Math.log(RATIO))

export interface Quantiles {
  readonly count: number
  /** Seconds, the geometric middle of their bucket; null without a time. */
  readonly p50: number | null
  readonly p95: number | null
}

/** By bucket, how many times are in it. */
export function quantilesOf(buckets: ReadonlyMap<number, number>): Quantiles {
  const rising = [...buckets].sort(([a], [b]) => a - b)
  const count = rising.reduce((sum, [, each]) => sum + each, 0)
  const at = (share: number): number | null => {
    let left = Math.ceil(count * share)
    for (const [bucket, each] of rising) {
      left -= each
      if (left <= 0) return bucket === 0 ? 1 : Math.round(RATIO ** (bucket - 0.5))
    }
    return null
  }
  return count === 0 ? { count, p50: null, p95: null } : { count, p50: at(0.5), p95: at(0.95) }
}
