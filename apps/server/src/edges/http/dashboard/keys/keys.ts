// API keys of the session's account.
import { dashboardRoutes, type KeyRequestsQuery, type UpdateKeyBody } from '@tradepost/contract'
import type { Static } from 'typebox'
import {
  type KeyChange,
  type KeyEnvironment,
  type KeySummary,
  listKeyRequests,
  listKeys,
  readSpent,
} from '#identity'
import { assertDefined } from '#kernel/assert'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  changeAccountKey,
  issueAccountKey,
  revokeAccountKey,
  rotateAccountKey,
} from '#operations'
import { keyRequestView, keyView } from '#wire/dashboard/account'
import { refuseField } from '../../shared/failure.ts'
import { readAllowlist } from '../networks.ts'
import { type DashboardAccount, type DashboardOperations, operation } from '../operation.ts'

export interface KeysDeps extends ActDeps {
  readonly environment: KeyEnvironment
}

export const createKeysOperations = (
  deps: KeysDeps,
): Pick<
  DashboardOperations,
  'listKeys' | 'createKey' | 'updateKey' | 'rotateKey' | 'revokeKey' | 'listKeyRequests'
> => {
  const { db, environment } = deps
  /** Another account's key is not found. */
  const ownKey = async (accountId: string, keyId: string): Promise<KeySummary> =>
    (await listKeys(db, accountId)).find(({ id }) => id === keyId) ?? refuse('NOT_FOUND')
  const shown = async (keys: readonly KeySummary[]) => {
    const spent = await readSpent(
      db,
      keys.map(({ id }) => id),
      deps.clock.now(),
    )
    return keys.map((key) => keyView(key, spent.get(key.id)))
  }
  const shownOne = async (key: KeySummary) => {
    const [view] = await shown([key])
    return assertDefined(view, 'the view of a key')
  }
  const issued = async (accountId: string, { id, secret }: { id: string; secret: string }) => ({
    ...(await shownOne(await ownKey(accountId, id))),
    apiKey: secret,
  })
  return {
    listKeys: operation(dashboardRoutes.listKeys, async ({ caller }) =>
      shown(await listKeys(db, caller.account.id)),
    ),

    createKey: operation(dashboardRoutes.createKey, async ({ body, caller }) => {
      const { id: accountId, kind } = caller.account
      if (kind === 'admin') return refuse('FORBIDDEN')
      const allowlist = readAllowlist(body.allowlist ?? [])
      const bounds = boundsOf(body, kind)
      const order = { accountId, kind, name: body.name, allowlist, environment, ...bounds }
      const key = await issueAccountKey(deps, caller.actor, order)
      return issued(accountId, key)
    }),

    updateKey: operation(dashboardRoutes.updateKey, async ({ params, body, caller }) => {
      await ownKey(caller.account.id, params.id)
      const allowlist = body.allowlist && readAllowlist(body.allowlist)
      const bounds = boundsOf(body, caller.account.kind)
      const change = { keyId: params.id, name: body.name, allowlist, ...bounds }
      return shownOne(await changeAccountKey(deps, caller.actor, change))
    }),

    rotateKey: operation(dashboardRoutes.rotateKey, async ({ params, body, caller }) => {
      const accountId = caller.account.id
      await ownKey(accountId, params.id)
      const order = { keyId: params.id, overlapHours: body.overlapHours, environment }
      const key = await rotateAccountKey(deps, caller.actor, order)
      return issued(accountId, key)
    }),

    revokeKey: operation(dashboardRoutes.revokeKey, async ({ params, caller }) => {
      const accountId = caller.account.id
      await ownKey(accountId, params.id)
      await revokeAccountKey(deps, caller.actor, { keyId: params.id, reason: 'dashboard' })
      return shownOne(await ownKey(accountId, params.id))
    }),

    listKeyRequests: operation(
      dashboardRoutes.listKeyRequests,
      async ({ params, query, caller }) => {
        const { id } = await ownKey(caller.account.id, params.id)
        return keyRequestsOf(deps, id, query)
      },
    ),
  }
}

/** A page of the requests of a key, once the caller is known to see the key. */
export async function keyRequestsOf(
  { db, clock }: Pick<ActDeps, 'db' | 'clock'>,
  keyId: string,
  query: Static<typeof KeyRequestsQuery>,
) {
  const { status, route = null, error: errorKey = null, cursor = null, limit } = query
  const first = status && Number(status[0]) * 100
  const { items, nextCursor } = await listKeyRequests(db, {
    ...{ keyId, route, errorKey, cursor, limit, at: clock.now() },
    statuses: first === undefined ? null : { from: first, to: first + 99 },
  })
  return { items: items.map(keyRequestView), nextCursor }
}

type Bounds = Pick<KeyChange, 'scopes' | 'accounts' | 'endsAt' | 'spendLimit'>

/** Refuses VALIDATION_FAILED for sub-users of an account that has none. */
function boundsOf(
  { scopes, accounts, expiresAt, spendLimit }: Static<typeof UpdateKeyBody>,
  kind: DashboardAccount['kind'],
): Bounds {
  if (accounts && kind !== 'merchant') {
    const message = 'only a merchant’s key acts for sub-users'
    refuseField({ in: 'body', pointer: '/accounts', rule: 'merchant', message })
  }
  return {
    scopes,
    accounts,
    endsAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
    spendLimit: spendLimit && {
      amountCents: cents(BigInt(spendLimit.amountCents)),
      window: spendLimit.window,
    },
  }
}
