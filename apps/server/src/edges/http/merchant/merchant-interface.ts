// The merchant interface: the `api-key` header, `On-Behalf-Of`, and the routes that only a dashboard has.
import { API_KEY_HEADER, ON_BEHALF_OF_HEADER } from '@tradepost/contract'
import type { Clock } from '#infra/process/clock'
import { Refusal } from '#kernel/refusal'
import { feesOfMerchant } from '#pricing'
import type { ApiInterface, ClosedRoute, RequestHead } from '../shared/api-interface.ts'
import { type Failure, invalid, notFound, refused } from '../shared/failure.ts'
import { type KeyAuthenticator, limitKeyGuesses } from '../shared/key-authenticator.ts'
import type { OperationOptions } from '../shared/operation.ts'
import type { ActingAccount, Caller, KeyHolder, Tenant } from '../shared/principal.ts'
import type { RateLimits } from '../shared/rate-limits.ts'
import { rememberAccounts } from '../shared/remember-accounts.ts'
import { refuseMissingScope } from '../shared/scope.ts'
import { OF_KEY, OF_SUB_USER } from './authenticate.ts'
import { readOnBehalfOf } from './on-behalf-of.ts'
import type { MerchantOperation } from './operation.ts'
import type { ResolveAccount } from './resolve-account.ts'

export interface MerchantInterfaceDeps extends Pick<KeyAuthenticator, 'authenticate' | 'confirm'> {
  readonly operations: readonly MerchantOperation[]
  readonly resolveAccount: ResolveAccount
  readonly dashboardOnly: readonly Pick<ClosedRoute, 'methods' | 'path'>[]
  /** Every caller passes when left out. */
  readonly rateLimits?: RateLimits | undefined
  readonly clock: Clock
}

export function createMerchantInterface({
  operations,
  authenticate,
  confirm,
  resolveAccount,
  dashboardOnly,
  rateLimits,
  clock,
}: MerchantInterfaceDeps): ApiInterface<KeyHolder, Caller> {
  const findHolder = rateLimits ? limitKeyGuesses(authenticate, rateLimits.addresses) : authenticate
  const recallAccount = rememberAccounts({
    resolve: resolveAccount,
    keyOf: ({ id }, reference) => (reference === null ? id : `${id} ${reference}`),
    clock,
  })
  return {
    name: 'merchant',
    operations,
    authenticate: (request) => {
      const holder = findHolder(request)
      const narrow = request.headers[ON_BEHALF_OF_HEADER] === undefined ? forMerchant : forSubUser
      return holder instanceof Promise ? holder.then(narrow) : narrow(holder)
    },
    limits: rateLimits?.keys ?? null,
    resolveCaller: async (holder, request, { options, route }) => {
      const resolve = async (find: FindAccount, as = holder): Promise<ActingAccount> => {
        const account = await actingAccount(as, request.headers, find)
        // The key was narrowed to some sub-users while its call for the merchant itself waited.
        const isOwn = account.id === as.tenant.id && route.scope !== 'none'
        if (isOwn && as.accounts !== null) throw new Refusal('FORBIDDEN')
        refuseSuspended(account, options)
        return account
      }
      const recall = options.takesRememberedCaller ? recallAccount : resolveAccount
      const isRead = route.method === 'GET' && !options.takesPlatformAccount
      const account = await resolve(isRead ? ownOr(holder, recall) : recall)
      const confirmCall = async (): Promise<void> => {
        const holderNow = await confirm(request)
        refuseMissingScope(holderNow, route)
        await resolve(resolveAccount, holderNow)
      }
      const address = (): string => request.ip
      return { ...holder, requestId: request.id, address, account, confirm: confirmCall }
    },
    closedRoutes: dashboardOnly.map((route) => ({ ...route, refuse: refuseDashboardOnly })),
    prefixes: ['/merchant', '/user', '/market', '/auth', '/payout'],
    answerUnmatched: notFound,
  }
}

const forMerchant = (holder: KeyHolder): KeyHolder =>
  holder.accounts === null ? holder : { ...holder, permissions: OF_KEY }

const forSubUser = (holder: KeyHolder): KeyHolder => ({ ...holder, permissions: OF_SUB_USER })

type FindAccount = (
  merchant: Tenant,
  reference: string | null,
) => Promise<ActingAccount | null> | ActingAccount

/** A merchant that reads for itself is as its key says; for a sub-user `find` is asked. */
const ownOr =
  (holder: KeyHolder, find: FindAccount): FindAccount =>
  (merchant, reference) =>
    reference === null ? ownAccount(holder) : find(merchant, reference)

/** A suspended merchant's key opens nothing, so the account is active. */
function ownAccount({ tenant: { id, currency }, feeBps }: KeyHolder): ActingAccount {
  const fees = feesOfMerchant(feeBps)
  return { id, tenantId: id, role: 'merchant', status: 'active', currency, ...fees }
}

async function actingAccount(
  holder: KeyHolder,
  headers: RequestHead['headers'],
  find: FindAccount,
): Promise<ActingAccount> {
  const reference = readOnBehalfOf(headers)
  if (reference.kind === 'invalid') {
    throw new Refusal('VALIDATION_FAILED', invalid([reference.problem]).meta)
  }
  const asked = reference.kind === 'given' ? reference.text : null
  const account = await find(holder.tenant, asked)
  const isOpened = asked === null || !holder.accounts || holder.accounts.has(account?.id ?? '')
  if (account !== null && isOpened) return account
  throw new Refusal(asked === null ? 'INVALID_API_KEY' : 'USER_NOT_FOUND')
}

function refuseSuspended({ status }: ActingAccount, { refusesSuspended }: OperationOptions): void {
  if (refusesSuspended && status === 'suspended') throw new Refusal('ACCOUNT_SUSPENDED')
}

/** Any key is refused alike, so that the answer says nothing of the key. */
function refuseDashboardOnly({ headers }: RequestHead): Failure {
  const hasKey = headers[API_KEY_HEADER] !== undefined || headers['x-api-key'] !== undefined
  return refused(hasKey ? 'FORBIDDEN' : 'UNAUTHENTICATED')
}
