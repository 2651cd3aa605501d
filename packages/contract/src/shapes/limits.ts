import { type Static, Type } from 'typebox'
import { TIERS } from '../limits.ts'
import { describe, stringEnum } from '../schema.ts'

const Count = Type.Integer({ minimum: 0 })

const level = {
  limit: describe(Count, 'How much any such time may hold.'),
  used: describe(Count, 'What the time until now holds.'),
  remaining: Count,
  windowSeconds: describe(Count, 'The time that is looked back over.'),
  resetSeconds: describe(
    Count,
    'Until the oldest of what is used no longer counts; 0 when nothing is used.',
  ),
}

export const BudgetLevel = Type.Object(level, { title: 'BudgetLevel' })
export type BudgetLevel = Static<typeof BudgetLevel>

export const CapLevel = Type.Object(
  {
    operation: Type.String({ description: 'The operationId of its route.' }),
    policy: Type.String({ description: 'Its name in the RateLimit headers.' }),
    ...level,
  },
  { title: 'CapLevel' },
)
export type CapLevel = Static<typeof CapLevel>

export const RouteCost = Type.Object(
  {
    operation: Type.String({ description: 'The operationId of the route.' }),
    method: Type.String(),
    path: Type.String(),
    cost: describe(Count, 'Tokens of the budget.'),
    dearer: Type.Optional(
      Type.Object({
        query: Type.String(),
        equals: Type.Integer(),
        cost: describe(Count, 'Tokens when the query says this.'),
      }),
    ),
  },
  { title: 'RouteCost' },
)
export type RouteCost = Static<typeof RouteCost>

export const LimitsResponse = Type.Object(
  {
    tier: stringEnum(TIERS),
    budget: BudgetLevel,
    caps: describe(Type.Array(CapLevel), 'Of the calling key.'),
    costs: Type.Array(RouteCost),
  },
  { title: 'LimitsResponse' },
)
export type LimitsResponse = Static<typeof LimitsResponse>
