// The partner interface: the `X-API-Key` header, and what a partner's own key may do beyond a child's.
import type { Clock } from '#infra/process/clock'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface } from '../shared/api-interface.ts'
import { notFound } from '../shared/failure.ts'
import { type KeyAuthenticator, limitKeyGuesses } from '../shared/key-authenticator.ts'
import type { KeyHolder, PartnerCaller } from '../shared/principal.ts'
import type { RateLimits } from '../shared/rate-limits.ts'
import { rememberAccounts } from '../shared/remember-accounts.ts'
import { refuseMissingScope } from '../shared/scope.ts'
import type { ResolvePartner } from './caller.ts'
import type { PartnerOperation } from './operation.ts'

export interface PartnerInterfaceDeps extends Pick<KeyAuthenticator, 'authenticate' | 'confirm'> {
  readonly operations: readonly PartnerOperation[]
  readonly resolvePartner: ResolvePartner
  /** Every caller passes when left out. */
  readonly rateLimits?: RateLimits | undefined
  readonly clock: Clock
}

export function createPartnerInterface({
  operations,
  authenticate,
  confirm,
  resolvePartner,
  rateLimits,
  clock,
}: PartnerInterfaceDeps): ApiInterface<KeyHolder, PartnerCaller> {
  const recallPartner = rememberAccounts({ resolve: resolvePartner, keyOf: (id) => id, clock })
  return {
    name: 'partner',
    operations,
    authenticate: rateLimits
      ? limitKeyGuesses(authenticate, rateLimits.addresses)
      : (request) => authenticate(request),
    limits: rateLimits?.keys ?? null,
    resolveCaller: async (holder, request, { options, route }) => {
      const find = options.takesRememberedCaller ? recallPartner : resolvePartner
      const account = await find(holder.tenant.id)
      if (account === null) throw new Refusal('INVALID_API_KEY')
      // The key of a deleted account is refused, too.
      const confirmCall = async (): Promise<void> =>
        refuseMissingScope(await confirm(request), route)
      return { ...holder, requestId: request.id, account, confirm: confirmCall }
    },
    closedRoutes: [],
    prefixes: ['/v1', '/v2'],
    answerUnmatched: notFound,
  }
}
