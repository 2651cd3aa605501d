// The dashboard's interface: a session in a cookie, capabilities by role, a CSRF token on every change.
import { API_KEY_HEADER, CSRF_HEADER, type Tier } from '@tradepost/contract'
import { Refusal } from '#kernel/refusal'
import { capabilitiesOf, hasFactor, type Impersonation, isCsrfToken, type Session } from '#people'
import { sourceOf } from '../shared/address-limits.ts'
import type { ApiInterface, RequestHead } from '../shared/api-interface.ts'
import { notFound, refused } from '../shared/failure.ts'
import type { Admission, LimitsPolicy } from '../shared/limits.ts'
import type { Operation } from '../shared/operation.ts'
import type { AddressLimits } from '../shared/ports.ts'
import type { Principal, Tenant } from '../shared/principal.ts'
import type { SessionCookie } from './cookies.ts'
import type { DashboardCaller, DashboardOperation, Login } from './operation.ts'
import { isOurOrigin } from './origin.ts'

/** The account of a session, as it stands now. */
export interface AccountStanding extends Tenant {
  readonly tier: Tier
  readonly status: 'active' | 'suspended' | 'deleted'
}

export interface DashboardInterfaceDeps {
  readonly operations: readonly DashboardOperation[]
  readonly cookie: SessionCookie
  /** Beside the session’s, while an administrator looks at another account. */
  readonly impersonationCookie: SessionCookie
  recallSession(token: string): Promise<Session | 'expired' | null>
  /** Null when the token is none of this session’s. */
  recallImpersonation(token: string, sessionId: string): Promise<Impersonation | null>
  findAccount(accountId: string): Promise<AccountStanding | null>
  /** Refuses TWO_FACTOR_FRESH_REQUIRED with a new challenge. */
  askForFactor(session: Session): Promise<never>
  readonly addresses: AddressLimits
  /** Calls of one person in any sixty seconds. */
  readonly people: Pick<LimitsPolicy<Visitor>, 'admit'>
  publicUrl(): string
  now(): Date
  /** Outside the sandbox an administrator without a second factor is let in nowhere. */
  readonly requiresAdminFactor: boolean
}

export interface Visitor extends Principal {
  readonly ip: string
  readonly token: string | null
  readonly session: Session | null
  readonly account: AccountStanding | null
}

const OF_VISITOR: ReadonlySet<string> = new Set(['visitor'])

export function createDashboardInterface(
  deps: DashboardInterfaceDeps,
): ApiInterface<Visitor, DashboardCaller> {
  return {
    name: 'dashboard',
    operations: deps.operations,
    authenticate: (request, operation) => authenticate(deps, request, operation),
    limits: createDashboardLimits(deps),
    resolveCaller: (visitor, request, operation) => {
      refuseForgery(deps, visitor, request, operation)
      refuseImpersonated(visitor, request, operation)
      refuseSuspended(visitor, request, operation)
      refuseBareAdministrator(deps, visitor, operation)
      return callerOf(deps, visitor, request)
    },
    closedRoutes: [],
    prefixes: ['/dashboard/api'],
    answerUnmatched: (request) => {
      if (hasKey(request)) return refused('FORBIDDEN')
      return deps.cookie.read(request.headers) === null
        ? refused('UNAUTHENTICATED')
        : notFound(request)
    },
  }
}

const hasKey = ({ headers }: RequestHead): boolean =>
  headers[API_KEY_HEADER] !== undefined || headers['x-api-key'] !== undefined

async function authenticate(
  deps: DashboardInterfaceDeps,
  request: RequestHead,
  operation: Operation<DashboardCaller> | null,
): Promise<Visitor> {
  const { cookie, recallSession, findAccount } = deps
  // Any key is refused alike, so that the answer says nothing of the key.
  if (hasKey(request)) throw new Refusal('FORBIDDEN')
  const isVisitorsRoute = operation?.permission === 'visitor'
  const visitor = { ip: request.ip, token: null, session: null, account: null, tenant: null }
  const token = cookie.read(request.headers)
  if (token === null) {
    if (isVisitorsRoute) return { ...visitor, permissions: OF_VISITOR }
    throw new Refusal('UNAUTHENTICATED')
  }
  const own = await recallSession(token)
  const session = own === null || own === 'expired' ? own : await lookedAt(deps, own, request)
  const account = session !== null && session !== 'expired' ? await accountOf(session) : null
  if (session === null || session === 'expired' || account === null) {
    if (isVisitorsRoute) return { ...visitor, permissions: OF_VISITOR }
    throw new Refusal(session === null ? 'UNAUTHENTICATED' : 'SESSION_EXPIRED')
  }
  const permissions = new Set([...OF_VISITOR, ...capabilitiesOf(session.membership.role)])
  return { ...visitor, token, session, account, tenant: account, permissions }

  async function accountOf({ membership }: Session): Promise<AccountStanding | null> {
    const found = await findAccount(membership.accountId)
    return found === null || found.status === 'deleted' ? null : found
  }
}

/** The session as it is, or as a reader of the account that its administrator looks at. */
async function lookedAt(
  { impersonationCookie, recallImpersonation }: DashboardInterfaceDeps,
  session: Session,
  { headers }: RequestHead,
): Promise<Session> {
  const token = impersonationCookie.read(headers)
  if (token === null || session.membership.role !== 'administrator') return session
  const impersonation = await recallImpersonation(token, session.id)
  if (impersonation === null) return session
  const { accountId, accountKind } = impersonation
  return { ...session, membership: { accountId, accountKind, role: 'read_only' }, impersonation }
}

/** Reads only: every change but the end of the look itself is refused. */
function refuseImpersonated(
  { session }: Visitor,
  { method }: RequestHead,
  { route, permission }: Operation<DashboardCaller>,
): void {
  if (session === null || session.impersonation === null) return
  if (method === 'GET' || permission === 'visitor') return
  const { whileImpersonating = false } = route as { whileImpersonating?: boolean }
  if (!whileImpersonating) throw new Refusal('FORBIDDEN')
}

/** Visitors' routes are capped by address; everything else counts against the person. */
function createDashboardLimits({
  addresses,
  people,
}: DashboardInterfaceDeps): LimitsPolicy<Visitor> {
  return {
    admit: (request): Admission | Promise<Admission> => {
      const { principal, route } = request
      if (route.cap === undefined) return people.admit(request)
      const { policy, limit } = route.cap
      return addresses.admit(principal.ip, { policy, limit, about: '' })
    },
    untouched: () => ({}),
  }
}

/** A page of another origin can neither read the token nor send an `Origin` of ours. */
function refuseForgery(
  { publicUrl }: DashboardInterfaceDeps,
  { token }: Visitor,
  { method, headers }: RequestHead,
  { permission }: Operation<DashboardCaller>,
): void {
  if (method === 'GET') return
  if (!isOurOrigin(headers, publicUrl())) throw new Refusal('CSRF_TOKEN_INVALID')
  // A visitor has no session whose rights could be borrowed, and has read no token.
  if (token === null || permission === 'visitor') return
  const given = headers[CSRF_HEADER]
  if (typeof given !== 'string' || !isCsrfToken(token, given)) {
    throw new Refusal('CSRF_TOKEN_INVALID')
  }
}

function refuseSuspended(
  { account }: Visitor,
  { method }: RequestHead,
  { permission }: Operation<DashboardCaller>,
): void {
  const changesAccount = method !== 'GET' && permission !== 'visitor' && permission !== 'own_login'
  if (changesAccount && account?.status === 'suspended') throw new Refusal('ACCOUNT_SUSPENDED')
}

function refuseBareAdministrator(
  { requiresAdminFactor }: DashboardInterfaceDeps,
  { session }: Visitor,
  { permission }: Operation<DashboardCaller>,
): void {
  if (!requiresAdminFactor || permission !== 'administration') return
  if (session === null || !hasFactor(session.person) || !session.hasSecondFactor) {
    throw new Refusal('TWO_FACTOR_SETUP_REQUIRED')
  }
}

function callerOf(
  deps: DashboardInterfaceDeps,
  visitor: Visitor,
  { id, ip, headers }: RequestHead,
): DashboardCaller {
  const origin = { address: ip, userAgent: headers['user-agent'] ?? '' }
  return { requestId: id, origin, network: sourceOf(ip), login: loginOf(deps, visitor, { id, ip }) }
}

function loginOf(
  { askForFactor, now }: DashboardInterfaceDeps,
  { session, token, account }: Visitor,
  { id, ip }: Pick<RequestHead, 'id' | 'ip'>,
): Login | null {
  if (session === null || token === null || account === null) return null
  const { person, membership, freshUntil } = session
  return {
    session,
    token,
    account: {
      id: membership.accountId,
      kind: membership.accountKind,
      currency: account.currency,
      tier: account.tier,
    },
    actor: {
      kind:
        membership.role === 'administrator' || session.impersonation !== null
          ? 'administrator'
          : 'member',
      id: person.id,
      request: { address: ip, requestId: id },
      ...(membership.role !== 'administrator' && { accountId: membership.accountId }),
    },
    requireFreshFactor: async () => {
      // What asks for a factor shows or moves what a reader of another account must not.
      if (session.impersonation !== null) throw new Refusal('FORBIDDEN')
      if (freshUntil <= now()) await askForFactor(session)
    },
  }
}
