// The rate limits of a person with a session: one budget, whatever the route, and an allowance of calls that
// reach a provider, so that one person does not use up what a provider takes from all of us. A request
// without a person passes; its route has a cap by address.
import { LIMIT_WINDOW_SECONDS } from '@tradepost/contract'
import type { Claim } from '#infra/limits/rate-limit/claim'
import { type LimitsDeps, type LimitsPolicy, rateLimited } from './limits.ts'
import type { Principal } from './principal.ts'

interface Allowance {
  readonly policy: string
  /** Tokens in a window. */
  readonly limit: number
}

/** Ten tokens a second: more than a page in use makes, and little enough for a server with many people. */
const BUDGET: Allowance = { policy: 'dashboard', limit: 600 }
/** Calls of routes that cost 5. */
const EXPENSIVE: Allowance = { policy: 'dashboard-expensive', limit: 30 }

export const personClaim = (personId: string, cost: number, scale: number): Claim =>
  claimOf(personId, BUDGET, cost, scale)

const claimOf = (
  personId: string,
  { policy, limit }: Allowance,
  cost: number,
  scale: number,
): Claim => ({ key: `{${personId}}:${policy}`, limit: limit * scale, cost })

export function createPersonLimits<P extends Principal>(
  { limiter, scale, onRefused }: LimitsDeps,
  personOf: (principal: P) => string | null,
): Pick<LimitsPolicy<P>, 'admit'> {
  return {
    admit: async ({ principal, route }) => {
      const personId = personOf(principal)
      if (personId === null) return { headers: null, refusal: null }
      const { cost = 1 } = route
      const allowances = cost === 5 ? [BUDGET, EXPENSIVE] : [BUDGET]
      const { admitted, waitsMs } = await limiter.take(
        allowances.map((allowance) =>
          claimOf(personId, allowance, allowance === BUDGET ? cost : 1, scale),
        ),
      )
      if (admitted) return { headers: null, refusal: null }
      onRefused?.('budget')
      const waitMs = Math.max(...waitsMs)
      const { policy, limit } = allowances[waitsMs.indexOf(waitMs)] ?? BUDGET
      const details = { policy, limit: limit * scale, windowSeconds: LIMIT_WINDOW_SECONDS, waitMs }
      return { headers: null, refusal: rateLimited({ scope: 'budget', ...details }) }
    },
  }
}
