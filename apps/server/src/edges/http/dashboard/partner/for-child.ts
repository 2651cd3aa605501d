// The operations of an account's keys, webhook endpoint and audit log, for a child of the session's partner.
import { type ChildAccountRouteId, dashboardRoutes } from '@tradepost/contract'
import { findChildren } from '#identity'
import type { Db } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import { defineOperation, type OperationRequest, type RouteShape } from '../../shared/operation.ts'
import type {
  DashboardAccount,
  DashboardCaller,
  DashboardOperation,
  DashboardOperations,
} from '../operation.ts'
import { partnerIdOf } from './as-partner.ts'

type OwnOperations = Pick<DashboardOperations, ChildAccountRouteId>
type ChildOperations = Pick<DashboardOperations, `${ChildAccountRouteId}OfChild`>

/** Each with the child in the place of the session's account. Refuses USER_NOT_FOUND for any other. */
export const forChild = (db: Db, own: OwnOperations): ChildOperations =>
  Object.fromEntries(
    (Object.keys(own) as ChildAccountRouteId[]).map((id) => {
      const name = `${id}OfChild` as const
      return [name, withChild(db, dashboardRoutes[name], own[id] as unknown as DashboardOperation)]
    }),
  ) as unknown as ChildOperations

const withChild = (
  db: Db,
  route: (typeof dashboardRoutes)[`${ChildAccountRouteId}OfChild`],
  inner: DashboardOperation,
) =>
  defineOperation<RouteShape, DashboardCaller>(
    { route, permission: route.capability },
    async (request) => {
      const { params, caller } = request as unknown as ChildRequest
      const { login } = caller
      if (login === null) throw new Error('a route of a session was reached without one')
      const account = await childOf(db, login.account, params.childId, route.method)
      return inner.handle({ ...request, caller: { ...caller, login: { ...login, account } } })
    },
  )

type ChildRequest = OperationRequest<RouteShape, DashboardCaller> & {
  readonly params: { readonly childId: string }
}

/** Of a deleted child everything is read and nothing is changed. */
async function childOf(
  db: Db,
  account: DashboardAccount,
  childId: string,
  method: RouteShape['method'],
): Promise<DashboardAccount> {
  const [child] = await findChildren(db, partnerIdOf({ account }), [childId])
  if (child === undefined) return refuse('USER_NOT_FOUND')
  if (child.status === 'deleted' && method !== 'GET') return refuse('USER_NOT_FOUND')
  return { ...account, id: child.id, kind: 'child' }
}
