// How an operation of the dashboard is declared. A test walks every route with every role by these fields.

import type { TSchema } from 'typebox'
import type { RouteBase } from '../../route.ts'
import type { MemberCapability } from '../../shapes/dashboard-session.ts'

/** What a person may do; `anonymous` needs no session. */
export type DashboardCapability = 'anonymous' | MemberCapability

export type DashboardTag =
  | 'Log-in'
  | 'Session'
  | 'Passkeys'
  | 'Chat link'
  | 'Team'
  | 'API keys'
  | 'Webhooks'
  | 'Merchant'
  | 'Sub-users'
  | 'Partner'
  | 'Exports'
  | 'Saved views'
  | 'Wallets'
  | 'Deposits'
  | 'Payouts'
  | 'Administration'

export interface DashboardRouteDefinition
  extends Omit<RouteBase, 'path' | 'description' | 'cost' | 'dearer' | 'successor'> {
  readonly path: `/dashboard/api/${string}`
  readonly tag: DashboardTag
  readonly capability: DashboardCapability
  /** Each call reaches a provider: few of them in a minute, as with a key. */
  readonly cost?: 5
  /** Asks for a second factor that was given within the last ten minutes. */
  readonly sensitive?: true
  /** An open page sends it by itself: no sign of its person, so it does not extend the session. */
  readonly unattended?: true
  /** Its outcome is a mail: refused with SERVICE_DISABLED where the service sends none. */
  readonly mails?: true
  /** A change that an administrator may make while looking at another account; reads always may. */
  readonly whileImpersonating?: true
}

const EVERYWHERE = [
  'BAD_REQUEST',
  'VALIDATION_FAILED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
] as const
const WITH_SESSION = ['UNAUTHENTICATED', 'SESSION_EXPIRED'] as const
const OF_ADMINISTRATORS = ['TWO_FACTOR_SETUP_REQUIRED'] as const
const OF_CHANGES = ['CSRF_TOKEN_INVALID'] as const
const OF_SENSITIVE = ['TWO_FACTOR_FRESH_REQUIRED'] as const
const OF_MAILS = ['SERVICE_DISABLED'] as const

/** What a route may refuse with by its method, capability and sensitivity. */
type CommonRefusal = (
  | typeof EVERYWHERE
  | typeof WITH_SESSION
  | typeof OF_ADMINISTRATORS
  | typeof OF_CHANGES
  | typeof OF_SENSITIVE
  | typeof OF_MAILS
)[number]

export type DashboardRoute<D extends DashboardRouteDefinition = DashboardRouteDefinition> = Omit<
  D,
  'refusals' | 'cost'
> &
  Pick<RouteBase, 'description' | 'cost'> & {
    readonly refusals: readonly (D['refusals'][number] | CommonRefusal)[]
  }

export function defineDashboardRoute<const D extends DashboardRouteDefinition>(
  definition: D,
): DashboardRoute<D> {
  const { capability, method, sensitive, mails, refusals } = definition
  const all = new Set<D['refusals'][number] | CommonRefusal>([
    ...refusals,
    ...EVERYWHERE,
    ...(capability === 'anonymous' ? [] : WITH_SESSION),
    ...(capability === 'administration' ? OF_ADMINISTRATORS : []),
    ...(method === 'GET' ? [] : OF_CHANGES),
    ...(sensitive === true ? OF_SENSITIVE : []),
    ...(mails === true ? OF_MAILS : []),
  ])
  const route = {
    ...definition,
    description: descriptionOf(definition),
    cost: definition.cost ?? 1,
  }
  return { ...route, ...closedParts(definition), refusals: [...all] }
}

/** A field that a shape does not name is refused, so that no form can set more than it shows. */
function closedParts({ query, body }: DashboardRouteDefinition): Partial<RouteBase> {
  return {
    ...(query && { query: closed(query) }),
    ...(body && { body: closed(body) }),
  }
}

const closed = (shape: TSchema): TSchema => ({ additionalProperties: false, ...shape })

function descriptionOf({ capability, sensitive }: DashboardRouteDefinition): string {
  const who =
    capability === 'anonymous' ? 'Needs no session.' : `Needs the capability \`${capability}\`.`
  return sensitive === true ? `${who} Asks for a second factor of the last ten minutes.` : who
}

/** What all routes of administrators have in common. Spread it into the definition. */
export const FOR_ADMINISTRATORS = {
  capability: 'administration',
  tag: 'Administration',
} as const

export const CSRF_HEADER = 'x-csrf-token'

/** On a read that a page repeats while its person is not there: it does not extend the session. */
export const UNATTENDED_HEADER = 'x-unattended'
