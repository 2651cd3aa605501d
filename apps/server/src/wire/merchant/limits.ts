// The merchant interface's view of rate limits.
import {
  type BudgetLevel,
  LIMIT_WINDOW_SECONDS,
  type LimitsResponse,
  type Route,
  type RouteCap,
  type Tier,
} from '@tradepost/contract'

export interface LimitUsage {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetSeconds: number
}

export interface Limits {
  readonly tier: Tier
  readonly budget: LimitUsage
  readonly caps: readonly {
    readonly operation: string
    readonly cap: RouteCap
    readonly usage: LimitUsage
  }[]
  readonly routes: readonly Route[]
}

export const limitsView = ({ tier, budget, caps, routes }: Limits): LimitsResponse => ({
  tier,
  budget: levelOf(budget, LIMIT_WINDOW_SECONDS),
  caps: caps.map(({ operation, cap: { policy, windowSeconds }, usage }) => ({
    operation,
    policy,
    ...levelOf(usage, windowSeconds),
  })),
  costs: routes.map(({ id, method, path, cost, dearer }) => ({
    operation: id,
    method,
    path,
    cost,
    ...(dearer === undefined ? {} : { dearer: { ...dearer } }),
  })),
})

const levelOf = (usage: LimitUsage, windowSeconds: number): BudgetLevel => ({
  ...usage,
  windowSeconds,
})
