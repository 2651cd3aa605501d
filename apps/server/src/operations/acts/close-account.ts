// A merchant closes its account: nothing is left in it, and nothing works with it any more. Its history
// stays.
import type { Actor } from '#audit'
import { closeMerchant, type DeletionDeps, findAccount } from '#identity'
import { refuse } from '#kernel/refusal'
import { closeTeam, notifyMembers } from '#people'
import { closeEndpoints } from '#webhooks'
import { type ActDeps, perform } from './act.ts'

/**
 * Keys are revoked, the endpoint is disabled, sessions and memberships end, and logins that act for no other
 * account are deleted. Refuses USER_NOT_FOUND for any other kind of account, ACCOUNT_HAS_FUNDS while the
 * merchant or one of its users holds money or has something open.
 */
export const closeMerchantAccount = (
  deps: ActDeps & DeletionDeps,
  actor: Actor,
  { accountId }: { readonly accountId: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'account.close', subject: { type: 'account', id: accountId }, details: {}, accountId },
    async (tx, at, note) => {
      const account = await findAccount(tx, accountId)
      if (account?.kind !== 'merchant') return refuse('USER_NOT_FOUND')
      await closeMerchant(tx, accountId, at, deps)
      await closeEndpoints(tx, accountId, { reason: 'the account was closed', at })
      const { name, email, status } = account
      // Whose account it was: nothing else says so from now on.
      note({
        changes: {
          status: { from: status, to: 'deleted' },
          email: { from: email, to: null },
          name: { from: name, to: null },
        },
      })
      const details = { name: name ?? email ?? accountId, at: at.toISOString() }
      const readers = { id: accountId, about: 'everything' } as const
      await notifyMembers(tx, readers, { template: 'account_closed', details, at })
      await closeTeam(tx, { accountId, at })
    },
  )
