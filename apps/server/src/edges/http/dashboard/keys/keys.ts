// API keys of the session's account.
import { dashboardRoutes } from '@tradepost/contract'
import { type KeyEnvironment, type KeySummary, listKeys } from '#identity'
import { assertDefined } from '#kernel/assert'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  changeAccountKey,
  issueAccountKey,
  revokeAccountKey,
  rotateAccountKey,
} from '#operations'
import { keyView } from '#wire/dashboard/account'
import { readAllowlist } from '../networks.ts'
import { type DashboardOperations, operation } from '../operation.ts'

export interface KeysDeps extends ActDeps {
  readonly environment: KeyEnvironment
}

export const createKeysOperations = (
  deps: KeysDeps,
): Pick<
  DashboardOperations,
  'listKeys' | 'createKey' | 'updateKey' | 'rotateKey' | 'revokeKey'
> => {
  const { db, environment } = deps
  /** Another account's key is not found. */
  const ownKey = async (accountId: string, keyId: string): Promise<KeySummary> =>
    (await listKeys(db, accountId)).find(({ id }) => id === keyId) ?? refuse('NOT_FOUND')
  const issued = async (accountId: string, { id, secret }: { id: string; secret: string }) => ({
    ...keyView(await ownKey(accountId, id)),
    apiKey: secret,
  })
  return {
    listKeys: operation(dashboardRoutes.listKeys, async ({ caller }) =>
      (await listKeys(db, caller.account.id)).map(keyView),
    ),

    createKey: operation(dashboardRoutes.createKey, async ({ body, caller }) => {
      const { id: accountId, kind } = caller.account
      if (kind === 'admin') return refuse('FORBIDDEN')
      const allowlist = readAllowlist(body.allowlist ?? [])
      const order = { accountId, kind, name: body.name, allowlist, environment }
      const key = await issueAccountKey(deps, caller.actor, order)
      return issued(accountId, key)
    }),

    updateKey: operation(dashboardRoutes.updateKey, async ({ params, body, caller }) => {
      await ownKey(caller.account.id, params.id)
      const allowlist = body.allowlist && readAllowlist(body.allowlist)
      const change = { keyId: params.id, name: body.name, allowlist }
      return keyView(await changeAccountKey(deps, caller.actor, change))
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
      return keyView(assertDefined(await ownKey(accountId, params.id), 'the revoked key'))
    }),
  }
}
