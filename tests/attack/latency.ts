// What a neighbour may notice of an attack, and how it is judged.
import { MEASURED, type Measured, type Samples } from './neighbour.ts'

export const QUIET = 'no attack'
export const ALL_AT_ONCE = 'all at once'

export interface Percentiles {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Over all phases of one kind in the whole run. */
export type Latencies = Readonly<
  Record<Measured, readonly ({ readonly name: string } & Percentiles)[]>
>

/** The 99th percentile under attack is at most this many times that of the phases without. */
const TIMES = 2
/**
 * What may come on top: attacker, suppliers, database and service share the two cores of one machine, which
 * they do not in production. It is stated with each report.
 */
export const ALLOWANCE_MS = 50
/** The 99th percentile of fewer is a single request. */
export const LEAST_SAMPLES = 300
const EVERY_ATTACK = 'every attack'

function percentilesOf(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((left, right) => left - right)
  const at = (share: number): number => {
    const ms = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return Math.round(ms * 10) / 10
  }
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Of each kind of phase, and of all attacks together. */
export function latenciesOf(samples: Samples): Latencies {
  const of = (what: Measured) => {
    const attacked = [...samples[what]].flatMap(([name, all]) => (name === QUIET ? [] : all))
    const rows = [...samples[what], [EVERY_ATTACK, attacked] as const]
    return rows.map(([name, all]) => ({ name, ...percentilesOf(all) }))
  }
  return Object.fromEntries(MEASURED.map((what) => [what, of(what)])) as unknown as Latencies
}

/**
 * Each phase whose 99th percentile is beyond the bound, in words. Where attackers have a multiple of a
 * tenant's limits, all attacks at once are more than the machine can do, and are shown without a judgement:
 * the bound is for tenants within their limits.
 */
export function tooSlow(latencies: Latencies, limits: number): string[] {
  const isJudged = (name: string): boolean =>
    limits === 1 || (name !== ALL_AT_ONCE && name !== EVERY_ATTACK)
  return (['reads', 'buys'] as const).flatMap((what) => {
    const quiet = latencies[what].find(({ name }) => name === QUIET)
    if (quiet === undefined) return []
    const most = TIMES * quiet.p99 + ALLOWANCE_MS
    return latencies[what].flatMap(({ name, p99, count }) =>
      isJudged(name) && p99 > most && count >= LEAST_SAMPLES
        ? [`p99 of ${what} ${p99} ms during ${name}, ${quiet.p99} ms without an attack`]
        : [],
    )
  })
}
