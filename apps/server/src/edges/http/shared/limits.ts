// The rate limits of callers with a key: the budget of the tenant's tier and the cap of the route, taken
// together or not at all. Amounts come from the contract, counters from infra.
import { LIMIT_WINDOW_SECONDS, type RouteCap, TIER_BUDGETS, type Tier } from '@tradepost/contract'
import type { Claim, Level, Verdict } from '#infra/limits/rate-limit/claim'
import type { Limiter } from '#infra/limits/rate-limit/limiter'
import { Refusal } from '#kernel/refusal'
import type { RouteShape } from './operation.ts'
import type { Client, Principal } from './principal.ts'

/** How an interface limits its principals. */
export interface LimitsPolicy<P extends Principal = Principal> {
  /**
   * Called once for each request whose credential is good, before anything else is looked at, so that it
   * counts whatever becomes of it.
   */
  admit(request: AdmissionRequest<P>): Admission | Promise<Admission>
  /** Headers of a capped route for a caller that has not been counted. */
  untouched(cap: RouteCap): Readonly<Record<string, string>>
}

export interface AdmissionRequest<P extends Principal = Principal> {
  readonly principal: P
  readonly route: Pick<RouteShape, 'cost' | 'dearer' | 'cap'>
  /** As it came, unchecked: some values make a call dearer. */
  readonly query: unknown
}

export interface Admission {
  /** What every answer of this request carries, a refusal included. */
  readonly headers: Readonly<Record<string, string>> | null
  readonly refusal: Refusal | null
}

export interface LimitsDeps {
  readonly limiter: Limiter
  /** Multiplies every limit. */
  readonly scale: number
  /** Reports each refusal: metrics. */
  readonly onRefused?: (scope: LimitScope) => void
}

export type LimitScope = 'budget' | 'route' | 'ip'

/** What a limit answers to a caller. */
export interface LimitUsage {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** For the holders of keys: the budget is the tenant's, the caps are each key's. */
export function createKeyLimits({ limiter, scale, onRefused }: LimitsDeps): LimitsPolicy<Client> {
  const answer = (
    { principal, route: { cap } }: AdmissionRequest<Client>,
    claims: readonly Claim[],
    verdict: Verdict,
  ): Admission => {
    const level = verdict.levels[1]
    const headers =
      cap === undefined || level === undefined
        ? null
        : capHeaders(cap, usageOf(cap.limit * scale, level))
    if (verdict.admitted) return headers === null ? ADMITTED : { headers, refusal: null }
    const budget = { policy: `budget-${principal.tier}`, windowSeconds: LIMIT_WINDOW_SECONDS }
    const refusal = refusalOf([budget, ...(cap ? [cap] : [])], claims, verdict)
    onRefused?.(refusal.details?.scope as LimitScope)
    return { headers, refusal }
  }

  return {
    untouched: (cap) => untouchedHeaders(cap, scale),
    admit: (request) => {
      const { principal, route, query } = request
      const cost = costOf(route, query)
      if (cost === 0) return ADMITTED
      const claims: Claim[] = [budgetClaim(principal, cost, scale)]
      if (route.cap !== undefined) claims.push(capClaim(principal, route.cap, 1, scale))
      const verdict = limiter.take(claims)
      return verdict instanceof Promise
        ? verdict.then((found) => answer(request, claims, found))
        : answer(request, claims, verdict)
    },
  }
}

const ADMITTED: Admission = { headers: null, refusal: null }

/** A route that says nothing of its cost has the smallest. */
function costOf({ cost = 1, dearer }: AdmissionRequest['route'], query: unknown): number {
  if (dearer === undefined) return cost
  const value = (query as Readonly<Record<string, unknown>>)[dearer.query]
  return value === String(dearer.equals) ? dearer.cost : cost
}

// The braces are a hash tag: in a cluster the limits of one tenant are on one node.
export const budgetClaim = (
  { tenant, tier }: { readonly tenant: Pick<Client['tenant'], 'id'>; readonly tier: Tier },
  cost: number,
  scale: number,
): Claim => ({
  key: `{${tenant.id}}:budget`,
  limit: TIER_BUDGETS[tier] * scale,
  cost,
})

export const capClaim = (
  { tenant, keyId }: Pick<Client, 'tenant' | 'keyId'>,
  { policy, limit }: RouteCap,
  cost: number,
  scale: number,
): Claim => ({ key: `{${tenant.id}}:${keyId}:${policy}`, limit: limit * scale, cost })

export const usageOf = (limit: number, { used, resetMs }: Level): LimitUsage => ({
  limit,
  used,
  remaining: Math.max(0, limit - used),
  // Clocks of a shared store differ by some milliseconds: a window is never said to be longer than it is.
  resetSeconds: Math.min(LIMIT_WINDOW_SECONDS, Math.ceil(resetMs / 1000)),
})

/** On every answer of a capped route: the form of the IETF's draft, and the older one. */
export const capHeaders = (
  { policy, windowSeconds }: Pick<RouteCap, 'policy' | 'windowSeconds'>,
  { limit, remaining, resetSeconds }: Pick<LimitUsage, 'limit' | 'remaining' | 'resetSeconds'>,
): Readonly<Record<string, string>> => ({
  'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
  ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetSeconds),
})

/**
 * Headers of a capped route for a caller that has not been counted: an unauthenticated caller has used
 * nothing.
 */
const untouchedHeaders = (cap: RouteCap, scale: number): Readonly<Record<string, string>> =>
  capHeaders(cap, { limit: cap.limit * scale, remaining: cap.limit * scale, resetSeconds: 0 })

/** Names the limit that lets the caller in last: before that, another one would refuse. */
function refusalOf(
  policies: readonly { readonly policy: string; readonly windowSeconds: number }[],
  claims: readonly Claim[],
  { waitsMs }: Verdict,
): Refusal {
  const worst = waitsMs.indexOf(Math.max(...waitsMs))
  const { policy = '', windowSeconds = LIMIT_WINDOW_SECONDS } = policies[worst] ?? {}
  return rateLimited({
    scope: worst === 0 ? 'budget' : 'route',
    policy,
    limit: claims[worst]?.limit ?? 0,
    windowSeconds,
    waitMs: waitsMs[worst] ?? 0,
  })
}

export function rateLimited({
  waitMs,
  ...details
}: {
  readonly scope: LimitScope
  readonly policy: string
  readonly limit: number
  readonly windowSeconds: number
  readonly waitMs: number
}): Refusal {
  return new Refusal('RATE_LIMITED', {
    ...details,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
