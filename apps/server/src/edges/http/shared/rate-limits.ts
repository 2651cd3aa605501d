// Everything that interfaces for holders of keys need of rate limits, put together.
import type { Limiter } from '#infra/limits/rate-limit/limiter'
import { type AddressLimitsDeps, createAddressLimits } from './address-limits.ts'
import { createKeyLimits, type LimitsPolicy } from './limits.ts'
import type { AddressLimits } from './ports.ts'
import type { Client } from './principal.ts'

export interface RateLimitsDeps extends AddressLimitsDeps {
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
  keys: createKeyLimits(deps),
  addresses: createAddressLimits({ ...deps, limiter: deps.addressLimiter }),
})
