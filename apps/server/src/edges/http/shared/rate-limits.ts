// Everything that interfaces for holders of keys need of rate limits, put together.
import type { Limiter } from '#infra/limits/rate-limit/limiter'
import { createAddressLimits } from './address-limits.ts'
import { createKeyLimits, type LimitsDeps, type LimitsPolicy } from './limits.ts'
import type { AddressLimits } from './ports.ts'
import type { Client } from './principal.ts'
import { createRefusalPace, type RefusalPaceDeps } from './refusal-pace.ts'

export interface RateLimitsDeps extends LimitsDeps, RefusalPaceDeps {
  /**
   * For addresses: unauthenticated callers make these keys up, so it forgets the oldest above some number.
   */
  readonly addressLimiter: Limiter
}

export interface RateLimits {
  readonly keys: LimitsPolicy<Client>
  readonly addresses: AddressLimits
}

export const createRateLimits = (deps: RateLimitsDeps): RateLimits => ({
  keys: createKeyLimits({ ...deps, pace: createRefusalPace(deps) }),
  addresses: createAddressLimits({ ...deps, limiter: deps.addressLimiter }),
})
