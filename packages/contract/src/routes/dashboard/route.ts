// How an operation of the dashboard is declared. A test walks every route with every role by these fields.
import type { TSchema } from 'typebox'
import type { ErrorKey } from '../../errors.ts'
import type { Method, RouteCap } from '../../route.ts'

/** What a person may do; `visitor` needs no session. */
export type DashboardCapability =
  | 'visitor'
  | 'own_login'
  | 'account.read'
  | 'keys.write'
  | 'webhook.write'
  | 'administration'

export type DashboardTag = 'Log-in' | 'Session' | 'API keys' | 'Webhooks' | 'Administration'

export interface DashboardRouteDefinition {
  readonly id: string
  readonly method: Method
  readonly path: `/dashboard/api/${string}`
  readonly capability: DashboardCapability
  readonly tag: DashboardTag
  readonly summary: string
  /** Asks for a second factor that was given within the last ten minutes. */
  readonly sensitive?: true
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  readonly status?: 200 | 201
  /** Of a visitor's route: calls in any sixty seconds from one address. */
  readonly cap?: RouteCap
  readonly refusals: readonly ErrorKey[]
}

export type DashboardRoute<D extends DashboardRouteDefinition = DashboardRouteDefinition> = Omit<
  D,
  'refusals'
> & { readonly refusals: readonly ErrorKey[] }

const EVERYWHERE = ['VALIDATION_FAILED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const
const WITH_SESSION = ['UNAUTHENTICATED', 'SESSION_EXPIRED'] as const
const OF_CHANGES = ['CSRF_TOKEN_INVALID', 'BAD_REQUEST'] as const

export function defineDashboardRoute<const D extends DashboardRouteDefinition>(
  definition: D,
): DashboardRoute<D> {
  const { capability, method, sensitive, refusals } = definition
  const all = new Set<ErrorKey>([
    ...refusals,
    ...EVERYWHERE,
    ...(capability === 'visitor' ? [] : WITH_SESSION),
    ...(method === 'GET' ? [] : OF_CHANGES),
    ...(sensitive === true ? (['TWO_FACTOR_FRESH_REQUIRED'] as const) : []),
  ])
  return { ...definition, refusals: [...all] }
}

export const CSRF_HEADER = 'x-csrf-token'
