// The rate limit of a person with a session: one budget, whatever the route. A request without a person
// passes; its route has a cap by address.
import { LIMIT_WINDOW_SECONDS } from '@tradepost/contract'
import { type LimitsDeps, type LimitsPolicy, rateLimited } from './limits.ts'
import type { Principal } from './principal.ts'

/** Ten calls a second: more than a page in use makes, and little enough for a server with many people. */
const CALLS_PER_WINDOW = 600
const POLICY = 'dashboard'

export function createPersonLimits<P extends Principal>(
  { limiter, scale, onRefused }: LimitsDeps,
  personOf: (principal: P) => string | null,
): Pick<LimitsPolicy<P>, 'admit'> {
  const limit = CALLS_PER_WINDOW * scale
  return {
    admit: async ({ principal }) => {
      const personId = personOf(principal)
      if (personId === null) return { headers: null, refusal: null }
      const verdict = await limiter.take([{ key: `{${personId}}:${POLICY}`, limit, cost: 1 }])
      if (verdict.admitted) return { headers: null, refusal: null }
      onRefused?.('budget')
      const waitMs = verdict.waitsMs[0] ?? 0
      const facts = { policy: POLICY, limit, windowSeconds: LIMIT_WINDOW_SECONDS, waitMs }
      return { headers: null, refusal: rateLimited({ scope: 'budget', ...facts }) }
    },
  }
}
