// Everything that the edge asks of rate limits, put together.
import type { Limiter } from '#infra/rate-limit/limiter'
import { createAddressLimits } from './address-limits.ts'
import { createAdmit, type LimitsDeps, untouchedHeaders } from './limits.ts'
import type { RateLimits } from './ports.ts'

export interface RateLimitsDeps extends LimitsDeps {
  /** For addresses: strangers make these keys up, so it forgets the oldest above some number. */
  readonly addressLimiter: Limiter
  readonly nowMs: () => number
}

export const createRateLimits = (deps: RateLimitsDeps): RateLimits => ({
  admit: createAdmit(deps),
  addresses: createAddressLimits({ ...deps, limiter: deps.addressLimiter }),
  untouched: (cap) => untouchedHeaders(cap, deps.scale),
})
