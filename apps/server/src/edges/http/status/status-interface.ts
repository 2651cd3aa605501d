// GET /market/status: a route of the merchant interface that also answers callers without a key, at the pace
// of their address.
import { ADDRESS_LIMITS, API_KEY_HEADER, merchantRoutes } from '@tradepost/contract'
import { Refusal, refuse } from '#kernel/refusal'
import { serviceStatusView } from '#wire/merchant/status'
import type { ApiInterface } from '../shared/api-interface.ts'
import { notFound } from '../shared/failure.ts'
import { type KeyAuthenticator, limitKeyGuesses } from '../shared/key-authenticator.ts'
import { type ConfirmedCaller, defineOperation, type Operation } from '../shared/operation.ts'
import type { KeyHolder, Principal } from '../shared/principal.ts'
import type { RateLimits } from '../shared/rate-limits.ts'
import type { Board } from './board.ts'

interface Reader extends Principal, ConfirmedCaller {
  /** Null: it sent no key. */
  readonly holder: KeyHolder | null
  readonly ip: string
}

export interface StatusInterfaceDeps extends Pick<KeyAuthenticator, 'authenticate' | 'confirm'> {
  readonly board: Pick<Board, 'known'>
  readonly webhookAddresses: readonly string[]
  readonly rateLimits: RateLimits
}

const READ = 'status'
const PERMISSIONS: ReadonlySet<string> = new Set([READ])

export function createStatusInterface({
  authenticate,
  confirm,
  board,
  webhookAddresses,
  rateLimits: { keys, addresses },
}: StatusInterfaceDeps): ApiInterface<Reader, Reader> {
  const findHolder = limitKeyGuesses(authenticate, addresses)
  return {
    name: 'status',
    operations: [statusOperation(board, webhookAddresses)],
    authenticate: async (request, operation) => {
      // An address that has no operation is not ours to charge.
      if (operation === null) throw new Refusal('NOT_FOUND')
      const { ip, headers } = request
      const hasKey = (headers[API_KEY_HEADER] ?? '') !== ''
      const holder = hasKey ? await findHolder(request) : null
      return {
        ...{ holder, ip, permissions: PERMISSIONS },
        tenant: holder?.tenant ?? null,
        confirm: async () => {
          if (hasKey) await confirm(request)
        },
      }
    },
    limits: {
      untouched: keys.untouched,
      admit: ({ principal: { holder, ip }, route, query }) =>
        holder === null
          ? addresses.admit(ip, ADDRESS_LIMITS.status)
          : keys.admit({ principal: holder, route, query }),
    },
    resolveCaller: (reader) => reader,
    closedRoutes: [],
    prefixes: [],
    answerUnmatched: notFound,
  }
}

const statusOperation = (
  board: Pick<Board, 'known'>,
  webhookAddresses: readonly string[],
): Operation<Reader> =>
  defineOperation<typeof merchantRoutes.getServiceStatus, Reader>(
    { route: merchantRoutes.getServiceStatus, permission: READ },
    async () => {
      const known = board.known()
      if (known === null) return refuse('SERVICE_DISABLED', { reason: 'status_unknown' })
      return serviceStatusView({ ...known, webhookAddresses })
    },
  ) as unknown as Operation<Reader>
