// The dashboard's interface: a session in a cookie, capabilities by role, a CSRF token on every change.
import { API_KEY_HEADER, CSRF_HEADER, UNATTENDED_HEADER } from '@tradepost/contract'
import { Refusal, refuse } from '#kernel/refusal'
import {
  capabilitiesOf,
  hasStrongFactor,
  type Impersonation,
  isCsrfToken,
  type Session,
} from '#people'
import { sourceOf } from '../shared/address-limits.ts'
import type { ApiInterface, RequestHead } from '../shared/api-interface.ts'
import { notFound, refused } from '../shared/failure.ts'
import { isRead } from '../shared/known-routes.ts'
import type { Admission, LimitsPolicy } from '../shared/limits.ts'
import type { Operation } from '../shared/operation.ts'
import type { AddressLimits } from '../shared/ports.ts'
import type { Principal } from '../shared/principal.ts'
import type { SessionCookie } from './cookies.ts'
import type { DashboardCaller, DashboardOperation, Login } from './operation.ts'
import { isOurOrigin } from './origin.ts'
import {
  type AccountSession,
  createSessionMemory,
  type SessionAccount,
  type SessionMemory,
  sessionOf,
} from './session-memory.ts'

export interface DashboardInterfaceDeps {
  readonly operations: readonly DashboardOperation[]
  readonly cookie: SessionCookie
  /** Beside the session’s, while an administrator looks at another account. */
  readonly impersonationCookie: SessionCookie
  /** Of a browser in which a person has logged in before. */
  readonly deviceCookie: SessionCookie
  readonly registrationCookie: SessionCookie
  /** Notes the session's use, if this is one. */
  recallSession(token: string, isUse: boolean): Promise<Session | 'expired' | null>
  /** Null when the token is none of this session’s. */
  recallImpersonation(token: string, sessionId: string): Promise<Impersonation | null>
  findAccount(accountId: string): Promise<SessionAccount | null>
  /** Refuses TWO_FACTOR_FRESH_REQUIRED with a new challenge. */
  askForFactor(session: Session): Promise<never>
  readonly addresses: AddressLimits
  /** Calls of one person in any sixty seconds. */
  readonly people: Pick<LimitsPolicy<DashboardPrincipal>, 'admit'>
  publicUrl(): string
  now(): Date
  /** Outside the sandbox an administrator without a second factor is let in nowhere. */
  readonly requiresAdminFactor: boolean
  /** False: mail is switched off. */
  readonly sendsMail: boolean
}

export interface DashboardPrincipal extends Principal {
  readonly ip: string
  readonly token: string | null
  readonly session: Session | null
  readonly account: SessionAccount | null
}

const ANONYMOUS_PERMISSIONS: ReadonlySet<string> = new Set(['anonymous'])

export function createDashboardInterface(
  deps: DashboardInterfaceDeps,
): ApiInterface<DashboardPrincipal, DashboardCaller> {
  const memory = createSessionMemory(deps)
  return {
    name: 'dashboard',
    operations: deps.operations.map((operation) => forgettingAfter(memory, operation)),
    authenticate: (request, operation) =>
      authenticate(
        { ...deps, find: isRead(request.method) ? memory.recall : memory.ask },
        request,
        operation,
      ),
    limits: createDashboardLimits(deps),
    resolveCaller: (principal, request, operation) => {
      refuseCall(deps, principal, request, operation)
      // A token that was admitted is no guess, so it does not count as one against its address. An anonymous
      // caller's route also takes one that opens nothing.
      const find = async (token: string) =>
        (await memory.ask(token, false)) ??
        (principal.session === null ? null : refuse('UNAUTHENTICATED'))
      const confirm = () => confirmCall({ ...deps, find }, principal, request, operation)
      return { ...callerOf(deps, principal, request), confirm }
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

/** A change may have ended a session, moved a role or suspended an account: the next read asks again. */
const forgettingAfter = (
  memory: SessionMemory,
  operation: DashboardOperation,
): DashboardOperation =>
  operation.route.method === 'GET'
    ? operation
    : {
        ...operation,
        handle: async (request) => {
          try {
            return await operation.handle(request)
          } finally {
            memory.forget()
          }
        },
      }

interface FindingDeps extends DashboardInterfaceDeps {
  readonly find: SessionMemory['ask']
}

/** Refuses a call that was admitted as a new one would be refused now, by what the database has. */
async function confirmCall(
  deps: FindingDeps,
  admitted: DashboardPrincipal,
  request: RequestHead,
  operation: Operation<DashboardCaller>,
): Promise<void> {
  const principal = await authenticate(deps, request, operation)
  // The end of an impersonation leaves the administrator's own session, which has another account.
  const isSameAccount = principal.account?.id === admitted.account?.id
  if (!isSameAccount || !principal.permissions.has(operation.permission)) {
    throw new Refusal('FORBIDDEN')
  }
  refuseCall(deps, principal, request, operation)
}

function refuseCall(
  deps: DashboardInterfaceDeps,
  principal: DashboardPrincipal,
  request: RequestHead,
  operation: Operation<DashboardCaller>,
): void {
  refuseForgery(deps, principal, request, operation)
  refuseImpersonated(principal, request, operation)
  refuseSuspended(principal, request, operation)
  refuseBareAdministrator(deps, principal, operation)
  refuseUnsendable(deps, operation)
}

async function authenticate(
  deps: FindingDeps,
  request: RequestHead,
  operation: Operation<DashboardCaller> | null,
): Promise<DashboardPrincipal> {
  const { cookie, addresses } = deps
  // Any key is refused alike, so that the answer says nothing of the key.
  if (hasKey(request)) throw new Refusal('FORBIDDEN')
  const isAnonymousRoute = operation?.permission === 'anonymous'
  const anonymous = { ip: request.ip, token: null, session: null, account: null, tenant: null }
  const token = cookie.read(request.headers)
  if (token === null) {
    if (isAnonymousRoute) return { ...anonymous, permissions: ANONYMOUS_PERMISSIONS }
    throw new Refusal('UNAUTHENTICATED')
  }
  const own = await lookUp(deps, { token, isUse: isUse(request, operation) }, request)
  const seen = own === null || own === 'expired' ? own : await lookedAt(deps, own, request)
  if (seen === null || seen === 'expired') {
    if (isAnonymousRoute) return { ...anonymous, permissions: ANONYMOUS_PERMISSIONS }
    if (seen === 'expired') throw new Refusal('SESSION_EXPIRED')
    addresses.refuseKeyGuesser(request)
    await addresses.noteFailedKey(request.ip)
    throw new Refusal('UNAUTHENTICATED')
  }
  const { session, account } = seen
  const permissions = new Set([
    ...ANONYMOUS_PERMISSIONS,
    ...capabilitiesOf(session.membership.role),
  ])
  return { ...anonymous, token, session, account, tenant: account, permissions }
}

/** Of an address that comes with made-up tokens few are looked up at once, as with made-up keys. */
async function lookUp(
  { find, addresses }: Pick<FindingDeps, 'find' | 'addresses'>,
  { token, isUse }: { readonly token: string; readonly isUse: boolean },
  request: RequestHead,
): Promise<AccountSession | 'expired' | null> {
  const leave = addresses.enterLookUp(request)
  try {
    return await find(token, isUse)
  } finally {
    leave()
  }
}

/** A page that is left open must not keep its session alive: only what its person does is use. */
function isUse(
  { method, headers }: RequestHead,
  operation: Operation<DashboardCaller> | null,
): boolean {
  if (!isRead(method)) return true
  const { unattended = false } = (operation?.route ?? {}) as { unattended?: boolean }
  return !unattended && headers[UNATTENDED_HEADER] === undefined
}

/** The session as it is, or as a reader of the account that its administrator looks at. */
async function lookedAt(
  { impersonationCookie, recallImpersonation, findAccount }: DashboardInterfaceDeps,
  own: AccountSession,
  { headers }: RequestHead,
): Promise<AccountSession | 'expired'> {
  const { session } = own
  const token = impersonationCookie.read(headers)
  if (token === null || session.membership.role !== 'administrator') return own
  const impersonation = await recallImpersonation(token, session.id)
  if (impersonation === null) return own
  const { accountId, accountKind } = impersonation
  const membership = { accountId, accountKind, role: 'read_only' } as const
  return sessionOf({ ...session, membership, impersonation }, await findAccount(accountId))
}

/** Reads only: every change but the end of the look itself is refused. */
function refuseImpersonated(
  { session }: DashboardPrincipal,
  { method }: RequestHead,
  { route, permission }: Operation<DashboardCaller>,
): void {
  if (session === null || session.impersonation === null) return
  if (isRead(method) || permission === 'anonymous') return
  const { whileImpersonating = false } = route as { whileImpersonating?: boolean }
  if (!whileImpersonating) throw new Refusal('FORBIDDEN')
}

/** Anonymous routes are capped by address; everything else counts against the person. */
function createDashboardLimits({
  addresses,
  people,
}: DashboardInterfaceDeps): LimitsPolicy<DashboardPrincipal> {
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
  { token }: DashboardPrincipal,
  { method, headers }: RequestHead,
  { permission }: Operation<DashboardCaller>,
): void {
  if (isRead(method)) return
  if (!isOurOrigin(headers, publicUrl())) throw new Refusal('CSRF_TOKEN_INVALID')
  // An anonymous caller has no session whose rights could be borrowed, and has read no token.
  if (token === null || permission === 'anonymous') return
  const given = headers[CSRF_HEADER]
  if (typeof given !== 'string' || !isCsrfToken(token, given)) {
    throw new Refusal('CSRF_TOKEN_INVALID')
  }
}

function refuseSuspended(
  { account }: DashboardPrincipal,
  { method }: RequestHead,
  { permission }: Operation<DashboardCaller>,
): void {
  const changesAccount = !isRead(method) && permission !== 'anonymous' && permission !== 'own_login'
  if (changesAccount && account?.status === 'suspended') throw new Refusal('ACCOUNT_SUSPENDED')
}

function refuseBareAdministrator(
  { requiresAdminFactor }: DashboardInterfaceDeps,
  { session }: DashboardPrincipal,
  { permission }: Operation<DashboardCaller>,
): void {
  if (!requiresAdminFactor || permission !== 'administration') return
  if (session === null || !hasStrongFactor(session.person) || !session.hasSecondFactor) {
    throw new Refusal('TWO_FACTOR_SETUP_REQUIRED')
  }
}

/** Before the body is read, so that the answer is the same for every address in it. */
function refuseUnsendable(
  { sendsMail }: DashboardInterfaceDeps,
  { route }: Operation<DashboardCaller>,
): void {
  const { mails = false } = route as { mails?: boolean }
  if (mails && !sendsMail) throw new Refusal('SERVICE_DISABLED', { reason: 'mail_off' })
}

function callerOf(
  deps: DashboardInterfaceDeps,
  principal: DashboardPrincipal,
  { id, ip, headers }: RequestHead,
): Omit<DashboardCaller, 'confirm'> {
  const origin = { address: ip, userAgent: headers['user-agent'] ?? '', requestId: id }
  return {
    ...{ requestId: id, origin, network: sourceOf(ip), device: deps.deviceCookie.read(headers) },
    registration: deps.registrationCookie.read(headers),
    login: loginOf(deps, principal, { id, ip }),
  }
}

function loginOf(
  { askForFactor, now }: DashboardInterfaceDeps,
  { session, token, account }: DashboardPrincipal,
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
    isSuspended: account.status === 'suspended',
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
