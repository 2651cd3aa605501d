// An operation of the merchant interface: the permission that it needs follows from its route's context.
import type { Context, merchantRoutes } from '@tradepost/contract'
import {
  defineOperation,
  type Handler,
  type Operation,
  type OperationOptions,
  type RouteShape,
} from '../shared/operation.ts'
import type { Caller, TradingCaller } from '../shared/principal.ts'
import type { Permission } from './authenticate.ts'

export type { Caller, TradingCaller } from '../shared/principal.ts'

export interface MerchantRoute extends RouteShape {
  readonly context: Context
}

export type MerchantOperation<R extends MerchantRoute = MerchantRoute> = Operation<Caller, R>

/**
 * An operation for each route of the contract. A route without one does not compile. The status is an
 * interface of its own, as it answers callers without a key.
 */
export type MerchantOperations = {
  readonly [Id in Exclude<keyof typeof merchantRoutes, 'getServiceStatus'>]: MerchantOperation<
    (typeof merchantRoutes)[Id]
  >
}

export const operation = <R extends MerchantRoute>(
  route: R,
  handle: Handler<R, Caller>,
  options: OperationOptions = {},
): MerchantOperation<R> =>
  defineOperation({ route, permission: permissionOf(route) }, handle, options)

const permissionOf = ({ context, scope }: MerchantRoute): Permission =>
  scope === 'none' ? 'key' : context

/** Of an operation that answers the trade which it made. */
export const MAKES_TRADE = {
  tradeOf: ({ id }: { readonly id: string }): string => id,
} as const satisfies OperationOptions

/** An operation that takes the platform account or the trade URL of its caller. */
export const tradingOperation = <R extends MerchantRoute>(
  route: R,
  handle: Handler<R, TradingCaller>,
  options: OperationOptions = {},
): MerchantOperation<R> =>
  defineOperation({ route, permission: permissionOf(route) }, handle, {
    ...options,
    takesPlatformAccount: true,
  })
