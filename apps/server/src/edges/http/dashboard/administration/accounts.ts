// Accounts as administrators open, price and key them: the same acts as the command line's.
import { dashboardRoutes } from '@tradepost/contract'
import type { Actor } from '#audit'
import {
  describeAccount,
  findAccount,
  getKey,
  type KeyEnvironment,
  type KeySummary,
  listKeys,
  lockKey,
  readSettings,
} from '#identity'
import { refuse } from '#kernel/refusal'
import { readWallets } from '#ledger'
import {
  type ActDeps,
  changeFees,
  inviteToAccount,
  issueAccountKey,
  openMerchant,
  openPartner,
  revokeAccountKey,
  rotateAccountKey,
} from '#operations'
import { findOwner, type InvitationOrder, type PeopleDeps } from '#people'
import { findEndpoint } from '#webhooks'
import { keyView } from '#wire/dashboard/account'
import { accountDetailView } from '#wire/dashboard/admin-accounts'
import { accountView } from '#wire/dashboard/administration'
import { keyRequestsOf } from '../keys/keys.ts'
import { readAllowlist } from '../networks.ts'
import { type DashboardOperations, operation } from '../operation.ts'

export interface AdminAccountsDeps extends ActDeps, Pick<PeopleDeps, 'secrets' | 'publicUrl'> {
  /** Which word the keys carry: `live` or `test`. */
  readonly environment: KeyEnvironment
}

type AccountOperations = Pick<
  DashboardOperations,
  | 'createMerchantAccount'
  | 'createPartnerAccount'
  | 'getAccount'
  | 'inviteToAccount'
  | 'setAccountFees'
  | 'createAccountKey'
  | 'rotateAccountKey'
  | 'revokeAccountKey'
  | 'listRequestsOfKey'
>

export function createAdminAccountOperations(deps: AdminAccountsDeps): AccountOperations {
  const { db, environment } = deps
  const shown = async (id: string) =>
    accountView(await describeAccount(db, id), await readWallets(db, [id]))
  const detailed = async (id: string) => {
    const [account, settings, wallets, keys, endpoint, owner] = await Promise.all([
      describeAccount(db, id),
      readSettings(db, id),
      readWallets(db, [id]),
      listKeys(db, id),
      findEndpoint(db, id),
      findOwner(db, id),
    ])
    const hasLogin = owner !== null
    return accountDetailView({ account, settings, wallets, keys, endpoint, hasLogin })
  }
  const invite = (
    actor: Actor,
    order: Pick<InvitationOrder, 'accountId' | 'accountKind' | 'email' | 'role'>,
  ) => {
    const invitedBy = 'The operator of the service'
    return inviteToAccount(deps, actor, { ...order, invitedBy, inviterId: null })
  }
  const readKey = (id: string): Promise<KeySummary> => db.transaction((tx) => lockKey(tx, id))

  return {
    createMerchantAccount: operation(
      dashboardRoutes.createMerchantAccount,
      async ({ body, caller }) => {
        const { email, name, currency, tier, childDefaultFeeBps = null, ...agreed } = body
        const { feeBps, buyFeeBps, sellFeeBps } = agreed
        const fees = { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps }
        const order = { email, name, currency, tier, country: null, fees }
        const accountId = await openMerchant(deps, caller.actor, order)
        await invite(caller.actor, { accountId, accountKind: 'merchant', email, role: 'owner' })
        return shown(accountId)
      },
    ),

    createPartnerAccount: operation(
      dashboardRoutes.createPartnerAccount,
      async ({ body, caller }) => {
        const { email, name, feeBps = null, buyFeeBps = null } = body
        const order = { email, name, fees: { feeBps, buyFeeBps } }
        const accountId = await openPartner(deps, caller.actor, order)
        await invite(caller.actor, { accountId, accountKind: 'partner', email, role: 'owner' })
        return shown(accountId)
      },
    ),

    inviteToAccount: operation(
      dashboardRoutes.inviteToAccount,
      async ({ params: { id: accountId }, body, caller }) => {
        const account = await findAccount(db, accountId)
        // A child has no people of its own: its partner's act for it.
        if (account?.kind !== 'merchant' && account?.kind !== 'partner') {
          return refuse('USER_NOT_FOUND')
        }
        if (account.status === 'deleted') return refuse('USER_NOT_FOUND')
        await invite(caller.actor, { accountId, accountKind: account.kind, ...body })
        return { mailSent: true }
      },
    ),

    getAccount: operation(dashboardRoutes.getAccount, ({ params }) => detailed(params.id)),

    setAccountFees: operation(dashboardRoutes.setAccountFees, async ({ params, body, caller }) => {
      const { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps, reason } = body
      const fees = {
        ...(feeBps !== undefined && { feeBps }),
        ...(buyFeeBps !== undefined && { buyFeeBps }),
        ...(sellFeeBps !== undefined && { sellFeeBps }),
        ...(childDefaultFeeBps !== undefined && { childDefaultFeeBps }),
      }
      await changeFees(deps, caller.actor, { accountId: params.id, fees, reason })
      return detailed(params.id)
    }),

    createAccountKey: operation(
      dashboardRoutes.createAccountKey,
      async ({ params, body, caller }) => {
        const account = await findAccount(db, params.id)
        if (account === null || account.status === 'deleted') return refuse('USER_NOT_FOUND')
        const { id: accountId, kind } = account
        if (kind === 'admin' || kind === 'sub_user') return refuse('USER_NOT_FOUND')
        const allowlist = readAllowlist(body.allowlist ?? [])
        const order = { accountId, kind, name: body.name, allowlist, environment }
        const { id, secret } = await issueAccountKey(deps, caller.actor, order)
        return { ...keyView(await readKey(id)), apiKey: secret }
      },
    ),

    rotateAccountKey: operation(
      dashboardRoutes.rotateAccountKey,
      async ({ params, body, caller }) => {
        const order = { keyId: params.id, overlapHours: body.overlapHours, environment }
        const { id, secret } = await rotateAccountKey(deps, caller.actor, order)
        return { ...keyView(await readKey(id)), apiKey: secret }
      },
    ),

    revokeAccountKey: operation(
      dashboardRoutes.revokeAccountKey,
      async ({ params, body, caller }) => {
        const { id: keyId } = params
        await revokeAccountKey(deps, caller.actor, { keyId, reason: body.reason })
        return keyView(await readKey(keyId))
      },
    ),

    listRequestsOfKey: operation(dashboardRoutes.listRequestsOfKey, async ({ params, query }) => {
      const { id } = await getKey(db, params.id)
      return keyRequestsOf(deps, id, query)
    }),
  }
}
