// What a person does for an account with its keys, webhook endpoint and audit log, done by a partner's
// people for one of their children.
import { type TSchema, Type } from 'typebox'
import { Uuid } from '../../primitives.ts'
import { describe } from '../../schema.ts'
import { accountRoutes } from './account.ts'
import { merchantPageRoutes } from './merchant.ts'
import type { DashboardRoute } from './route.ts'

const CHILD = { childId: describe(Uuid, 'The child.') }
const OfChild = Type.Object(CHILD, { title: 'OfChildParams' })
const ThingOfChild = Type.Object({ ...CHILD, id: Uuid }, { title: 'ThingOfChildParams' })

const ownRoutes = { ...accountRoutes, listAudit: merchantPageRoutes.listAudit } as const

/** The ids of these routes as a person calls them for the own account. */
export type ChildAccountRouteId = keyof typeof ownRoutes

type ForChild<Id extends string, R extends DashboardRoute> = Omit<
  R,
  'id' | 'path' | 'tag' | 'params' | 'refusals'
> & {
  readonly id: `${Id}OfChild`
  readonly path: `/dashboard/api/partner/children/{childId}/${string}`
  readonly tag: 'Partner'
  readonly params: R extends { readonly params: TSchema } ? typeof ThingOfChild : typeof OfChild
  readonly refusals: readonly (R['refusals'][number] | 'USER_NOT_FOUND')[]
}

function forChild<const Id extends string, R extends DashboardRoute>(
  id: Id,
  route: R,
): ForChild<Id, R> {
  const { path, summary, params, refusals } = route
  return {
    ...route,
    id: `${id}OfChild`,
    path: path.replace('/dashboard/api/', '/dashboard/api/partner/children/{childId}/'),
    tag: 'Partner',
    summary: `Of a child: ${summary}`,
    params: params === undefined ? OfChild : ThingOfChild,
    refusals: [...new Set([...refusals, 'USER_NOT_FOUND'])],
  } as unknown as ForChild<Id, R>
}

/** A route for each of them, with the same shapes, capability and sensitivity. */
export const childAccountRoutes = Object.fromEntries(
  Object.entries(ownRoutes).map(([id, route]) => [
    `${id}OfChild`,
    forChild(id, route as DashboardRoute),
  ]),
) as {
  readonly [Id in ChildAccountRouteId as `${Id}OfChild`]: ForChild<Id, (typeof ownRoutes)[Id]>
}
