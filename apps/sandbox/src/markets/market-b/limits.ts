import { createCallLimit } from '../../http/call-limit.ts'
import type { MarketBDeps } from './deps.ts'

/** Calls that share one budget of a minute. */
export type LimitGroup = 'search' | 'prices' | 'check_many' | 'other'

/** In proportion to the ordinary budget, which the market documents as 60 a minute. */
const SHARES: Readonly<Record<LimitGroup, number>> = {
  search: 1 / 3,
  prices: 1,
  check_many: 2,
  other: 1,
}

/** Milliseconds that the caller has to wait; 0 when the call is allowed. */
export type MarketBLimits = (who: string, group: LimitGroup) => number

export function createMarketBLimits({ clock, callsPerMinute }: MarketBDeps): MarketBLimits {
  const limit = createCallLimit(clock, 60_000)
  return (who, group) => {
    if (callsPerMinute === 0) return 0
    return limit.spend(`${group}:${who}`, Math.max(1, Math.round(callsPerMinute * SHARES[group])))
  }
}
