// What another tenant may notice of an attack, and how it is judged.
import { MEASURED, type Measured, type Samples } from '../actors/other-tenant.ts'

export const QUIET = 'no attack'
/** One hostile merchant does all that it can at once. */
export const ONE_MERCHANT = 'one merchant'
/** Seven hostile tenants do so together. */
export const ALL_TENANTS = 'all tenants'

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

/**
 * The 95th percentile under attack is at most this many times that of the phases without, with attackers,
 * suppliers, database and service on the two cores of one machine. The 99th is a matter of a second api.
 */
const TIMES = 2
/**
 * The most in milliseconds while all hostile tenants do their worst together: that is more work than two
 * cores can do, which the attackers use too, and the other tenant must still be answered promptly.
 */
const MOST_OF_ALL_TENANTS_MS = 500
/** A percentile of fewer is a few requests. */
const LEAST_SAMPLES = 300
const OTHER_ATTACKS = 'every other attack'

function percentilesOf(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((left, right) => left - right)
  const at = (share: number): number => {
    const ms = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return Math.round(ms * 10) / 10
  }
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Of each kind of phase, and of all phases in which not all tenants attack. */
export function latenciesOf(samples: Samples): Latencies {
  const of = (what: Measured) => {
    const attacked = [...samples[what]].flatMap(([name, all]) =>
      name === QUIET || name === ALL_TENANTS ? [] : all,
    )
    const rows = [...samples[what], [OTHER_ATTACKS, attacked] as const]
    return rows.map(([name, all]) => ({ name, ...percentilesOf(all) }))
  }
  return Object.fromEntries(MEASURED.map((what) => [what, of(what)])) as unknown as Latencies
}

/**
 * Each phase that is beyond its bound, in words. Where attackers have a multiple of a tenant's limits, all
 * that they do at once is shown without a judgement: the bound is for tenants within their limits.
 */
export function tooSlow(latencies: Latencies, limits: number): string[] {
  return (['reads', 'buys'] as const).flatMap((what) => {
    const quiet = latencies[what].find(({ name }) => name === QUIET)
    if (quiet === undefined) return []
    return latencies[what].flatMap(({ name, p95, p99, count }) => {
      if (count < LEAST_SAMPLES || (limits > 1 && NOT_WITHIN_LIMITS.includes(name))) return []
      if (name === ALL_TENANTS)
        return p99 > MOST_OF_ALL_TENANTS_MS ? [`p99 of ${what} ${p99} ms during ${name}`] : []
      return p95 > TIMES * quiet.p95
        ? [`p95 of ${what} ${p95} ms during ${name}, ${quiet.p95} ms without an attack`]
        : []
    })
  })
}
const NOT_WITHIN_LIMITS: readonly string[] = [ONE_MERCHANT, ALL_TENANTS, OTHER_ATTACKS]
