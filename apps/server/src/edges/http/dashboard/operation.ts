// An operation of the dashboard: its permission is the route's capability, and a sensitive one asks for a
// fresh second factor after the shape and before the handler.
import type { DashboardCapability, dashboardRoutes, Tier } from '@tradepost/contract'
import type { Actor } from '#audit'
import type { Origin, Session } from '#people'
import {
  type ConfirmedCaller,
  defineOperation,
  type Handler,
  type Operation,
  type OperationRequest,
  type RouteShape,
} from '../shared/operation.ts'

import type { Tenant } from '../shared/principal.ts'

export interface DashboardRouteShape extends RouteShape {
  readonly capability: DashboardCapability
  readonly sensitive?: true
}

/** Who calls: an anonymous caller has neither session nor account. */
export interface DashboardCaller extends ConfirmedCaller {
  readonly requestId: string
  readonly origin: Origin
  /** The IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string
  /** The cookie of a browser that may be known. */
  readonly device: string | null
  /** The cookie of the browser that registered. */
  readonly registration: string | null
  readonly login: Login | null
}

export interface Login {
  readonly session: Session
  /** The cookie that the request carries. */
  readonly token: string
  readonly account: DashboardAccount
  /** The account of the session may be read, and not changed. */
  readonly isSuspended: boolean
  /** For audit entries. */
  readonly actor: Actor
  /** Refuses TWO_FACTOR_FRESH_REQUIRED unless a factor was given within the last ten minutes. */
  requireFreshFactor(): Promise<void>
}

export interface DashboardAccount {
  readonly id: string
  /** `child` while a partner's person acts for one of its children. */
  readonly kind: 'merchant' | 'partner' | 'child' | 'admin'
  readonly currency: Tenant['currency']
  readonly tier: Tier
}

export type DashboardOperation<R extends DashboardRouteShape = DashboardRouteShape> = Operation<
  DashboardCaller,
  R
>

/** An operation for each route of the contract. A route without one does not compile. */
export type DashboardOperations = {
  readonly [Id in keyof typeof dashboardRoutes]: DashboardOperation<(typeof dashboardRoutes)[Id]>
}

/** For an anonymous caller, or for a person with a session who calls an anonymous caller's route. */
export const anonymousOperation = <R extends DashboardRouteShape>(
  route: R,
  handle: Handler<R, DashboardCaller>,
): DashboardOperation<R> => defineOperation({ route, permission: route.capability }, handle)

/** What a handler of a logged-in person receives beside the request. */
export interface LoggedIn extends Login, ConfirmedCaller {
  readonly requestId: string
  readonly origin: Origin
}

/** For a person with a session. */
export const operation = <R extends DashboardRouteShape>(
  route: R,
  handle: Handler<R, LoggedIn>,
): DashboardOperation<R> =>
  defineOperation({ route, permission: route.capability }, async (request) => {
    const { login, requestId, origin, confirm } = request.caller as DashboardCaller
    if (login === null) throw new Error('a route of a session was reached without one')
    if (route.sensitive) await login.requireFreshFactor()
    const caller: LoggedIn = { ...login, actor: actorFor(login, route), requestId, origin, confirm }
    return handle({ ...request, caller } as OperationRequest<R, LoggedIn>)
  })

/** These need no membership. */
const FREE: ReadonlySet<DashboardCapability> = new Set(['anonymous', 'own_login'])

/**
 * The right to the route is read again where the act is committed. An administrator who looks at an account
 * changes nothing of it, and is no member.
 */
const actorFor = (
  { actor, session }: Login,
  { capability }: Pick<DashboardRouteShape, 'capability'>,
): Actor =>
  session.impersonation === null && !FREE.has(capability)
    ? { ...actor, right: { accountId: session.membership.accountId, capability } }
    : actor
