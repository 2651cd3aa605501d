// An administrator begins and ends a look at an account with its own pages.
import { dashboardRoutes } from '@tradepost/contract'
import { findAccount } from '#identity'
import { refuse } from '#kernel/refusal'
import { type ActDeps, beginLook, endLook } from '#operations'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import { type DashboardOperations, operation } from '../operation.ts'

export const createImpersonationOperations = (
  deps: ActDeps,
  cookie: SessionCookie,
): Pick<DashboardOperations, 'beginImpersonation' | 'endImpersonation'> => ({
  beginImpersonation: operation(
    dashboardRoutes.beginImpersonation,
    async ({ params, body, caller }) => {
      const account = await findAccount(deps.db, params.id)
      if (account === null || account.status === 'deleted') return refuse('USER_NOT_FOUND')
      const { id: accountId, kind: accountKind } = account
      if (accountKind !== 'merchant' && accountKind !== 'partner') return refuse('USER_NOT_FOUND')
      const { session, actor } = caller
      const order = { accountId, accountKind, reason: body.reason, session }
      const { token, expiresAt } = await beginLook(deps, actor, order)
      const seconds = Math.floor((expiresAt.getTime() - deps.clock.now().getTime()) / 1000)
      return new ResponseWithHeaders(
        { accountId, expiresAt: expiresAt.toISOString() },
        { 'set-cookie': cookie.set(token, seconds) },
      )
    },
  ),

  endImpersonation: operation(dashboardRoutes.endImpersonation, async ({ caller }) => {
    const { impersonation } = caller.session
    if (impersonation !== null) await endLook(deps, caller.actor, impersonation)
    return new ResponseWithHeaders({ ended: true as const }, { 'set-cookie': cookie.clear() })
  }),
})
