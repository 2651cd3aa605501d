// What the caller may ask, and what is left of it.
import { merchantRouteList, merchantRoutes } from '@tradepost/contract'
import type { Limiter } from '#infra/limits/rate-limit/limiter'
import { limitsView } from '#wire/merchant/limits'
import { budgetClaim, capClaim, usageOf } from '../../shared/limits.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface LimitsOperationDeps {
  readonly limiter: Limiter
  /** Multiplies every limit. */
  readonly scale: number
}

export const createLimitsOperation = ({
  limiter,
  scale,
}: LimitsOperationDeps): MerchantOperations['getMerchantLimits'] =>
  operation(merchantRoutes.getMerchantLimits, async ({ caller }) => {
    const capped = merchantRouteList.flatMap(({ id, cap }) => (cap ? [{ operation: id, cap }] : []))
    const claims = [
      budgetClaim(caller, 0, scale),
      ...capped.map(({ cap }) => capClaim(caller, cap, 0, scale)),
    ]
    const levels = await limiter.read(claims)
    const [budget, ...caps] = claims.map(({ limit }, i) =>
      usageOf(limit, levels[i] ?? { used: 0, resetMs: 0 }),
    )
    return limitsView({
      tier: caller.tier,
      budget: budget ?? usageOf(0, { used: 0, resetMs: 0 }),
      caps: capped.flatMap((entry, i) => {
        const usage = caps[i]
        return usage ? [{ ...entry, usage }] : []
      }),
      routes: merchantRouteList,
    })
  })
