// How an operation of the dashboard is declared. A test walks every route with every role by these fields.
import type { ErrorKey } from '../../errors.ts'
import type { RouteBase } from '../../route.ts'

/** What a person may do; `visitor` needs no session. */
export type DashboardCapability =
  | 'visitor'
  | 'own_login'
  | 'account.read'
  | 'keys.write'
  | 'webhook.write'
  | 'administration'

export type DashboardTag =
  | 'Log-in'
  | 'Session'
  | 'Passkeys'
  | 'API keys'
  | 'Webhooks'
  | 'Administration'

export interface DashboardRouteDefinition
  extends Omit<RouteBase, 'path' | 'description' | 'cost' | 'dearer' | 'headers' | 'successor'> {
  readonly path: `/dashboard/api/${string}`
  readonly tag: DashboardTag
  readonly capability: DashboardCapability
  /** Asks for a second factor that was given within the last ten minutes. */
  readonly sensitive?: true
}

export type DashboardRoute<D extends DashboardRouteDefinition = DashboardRouteDefinition> = Omit<
  D,
  'refusals'
> &
  Pick<RouteBase, 'refusals' | 'description' | 'cost'>

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
  return { ...definition, description: descriptionOf(definition), cost: 1, refusals: [...all] }
}

function descriptionOf({ capability, sensitive }: DashboardRouteDefinition): string {
  const who =
    capability === 'visitor' ? 'Needs no session.' : `Needs the capability \`${capability}\`.`
  return sensitive === true ? `${who} Asks for a second factor of the last ten minutes.` : who
}

export const CSRF_HEADER = 'x-csrf-token'
