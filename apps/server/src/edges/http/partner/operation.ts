// An operation of the partner interface: the permission that it needs follows from which keys may call it.
import type { PartnerAccess, partnerRoutes } from '@tradepost/contract'
import {
  defineOperation,
  type Handler,
  type Operation,
  type OperationOptions,
  type RouteShape,
} from '../shared/operation.ts'
import type { PartnerCaller } from '../shared/principal.ts'

export interface PartnerRoute extends RouteShape {
  readonly access: PartnerAccess
}

export type PartnerOperation<R extends PartnerRoute = PartnerRoute> = Operation<PartnerCaller, R>

/** An operation for each route of the contract. A route without one does not compile. */
export type PartnerOperations = {
  readonly [Id in keyof typeof partnerRoutes]: PartnerOperation<(typeof partnerRoutes)[Id]>
}

export const operation = <R extends PartnerRoute>(
  route: R,
  handle: Handler<R, PartnerCaller>,
  options: OperationOptions = {},
): PartnerOperation<R> => defineOperation({ route, permission: route.access }, handle, options)

/** A read of the market, which needs nothing of its caller but the fees. */
export const marketRead = <R extends PartnerRoute>(
  route: R,
  handle: Handler<R, PartnerCaller>,
): PartnerOperation<R> => operation(route, handle, { takesRememberedCaller: true })

/** The message of a v1 answer. */
export const DONE = 'OK'
