// How an operation is declared. Pure data: the server hangs a handler on it, the OpenAPI document, the
// SDK and the limiter read it.
import { type TSchema, Type } from 'typebox'
import type { ErrorKey } from './errors.ts'
import type { RouteScope, ScopeOf } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `merchant` rejects `On-Behalf-Of`; `user` runs as the sub-user that it names. */
export type Context = 'merchant' | 'user'

export type Tag =
  | 'Merchant'
  | 'Sub-users'
  | 'Trades'
  | 'Event feed'
  | 'Wallet'
  | 'Trade URLs'
  | 'Market'
  | 'Market orders'
  | 'Live'
  | 'Selling'
  | 'Deposits'
  | 'Payouts'

/** A counter of its own on top of the merchant's budget, by API key. */
export interface RouteCap {
  /** Its name in the RateLimit headers. */
  readonly policy: string
  readonly limit: number
  readonly windowSeconds: number
}

/** Of a route that another one replaces. */
export interface Legacy {
  readonly successor: `/${string}`
  /** Unix seconds since when callers are asked to go over to it. */
  readonly since: number
}

/** What a route of every interface has. */
export interface RouteBase {
  /** Also the operationId. */
  readonly id: string
  readonly method: Method
  readonly path: `/${string}`
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  readonly status: 200 | 201
  /** Tokens of the account's budget; 5 where suppliers are called, 0 for a look at the limits. */
  readonly cost: 0 | 1 | 5
  /** A query value that makes the call dearer. */
  readonly dearer?: { readonly query: string; readonly equals: number; readonly cost: 5 }
  readonly cap?: RouteCap
  readonly legacy?: Legacy
  /** May be called without a credential, at the pace of an address. */
  readonly keyless?: true
  /** A list of the body: `meta.index` of a refusal is the place of the entry that is refused. */
  readonly indexed?: string
  /** Everything that it may refuse with, each once. */
  readonly refusals: readonly ErrorKey[]
}

export interface RouteDefinition extends RouteBase {
  readonly context: Context
  /** What the key must be allowed. */
  readonly scope: RouteScope
  readonly tag: Tag
}

export type Route<Definition extends RouteDefinition = RouteDefinition> = WithRefusals<Definition>

/** A route as it was declared, with the refusals that every route has. */
export type WithRefusals<Definition extends RouteBase> = Omit<Definition, 'refusals'> &
  Pick<RouteBase, 'refusals'>

/** What any route may answer to bytes that it cannot read, or to a caller that it does not let in. */
const EVERYWHERE = [
  'BAD_REQUEST',
  'VALIDATION_FAILED',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
  'API_KEY_IP_DENIED',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMITED',
  'SERVICE_DISABLED',
  'INTERNAL_ERROR',
] as const satisfies readonly ErrorKey[]

export function defineRoute<const Definition extends RouteDefinition>(
  definition: Definition & { readonly scope: ScopeOf<Definition['method']> },
): Route<Definition> {
  const ofContext = definition.context === 'user' ? (['USER_NOT_FOUND'] as const) : []
  return withRefusals<Definition>(definition, ['FORBIDDEN', ...ofContext])
}

/** A route whose caller holds a key, with what every such route refuses. */
export function withRefusals<const Definition extends RouteBase>(
  definition: Definition,
  ofInterface: readonly ErrorKey[],
): WithRefusals<Definition> {
  const refusals = new Set<ErrorKey>([...definition.refusals, ...EVERYWHERE, ...ofInterface])
  if (definition.keyless) refusals.delete('MISSING_API_KEY')
  return { ...definition, refusals: [...refusals] }
}

/**
 * Required by operations that move money without a reference in their body. Other headers pass. A missing
 * or empty key is BAD_REQUEST, which a schema cannot say: the server looks for it before it validates.
 */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.String({
    minLength: 1,
    maxLength: 128,
    examples: ['payment-4711'],
    description:
      'A reference of your choice. The same one with the same request answers the first result again.',
  }),
})

/** The header that makes a user route run as a sub-user. */
export const ON_BEHALF_OF_HEADER = 'on-behalf-of'
export const API_KEY_HEADER = 'api-key'
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'
