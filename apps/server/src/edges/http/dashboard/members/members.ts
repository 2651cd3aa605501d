// The team of the session's account, invitations, and the accounts of a person.
import { dashboardRoutes, type Team } from '@tradepost/contract'
import { type DeletionDeps, findAccount } from '#identity'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  acceptIntoAccount,
  changeMemberRole,
  closeMerchantAccount,
  inviteToAccount,
  leaveAccount,
  removeFromAccount,
  renameAccount,
  takeBackInvitation,
} from '#operations'
import {
  listInvitations,
  listMembers,
  listMemberships,
  type PeopleDeps,
  readInvitation,
  switchAccount,
} from '#people'
import { ownAccountView, shownInvitationView, teamView } from '#wire/dashboard/members'
import { refuseField } from '../../shared/failure.ts'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import type { AnswerLogin } from '../log-in/answer-login.ts'
import {
  anonymousOperation,
  type DashboardOperations,
  type LoggedIn,
  operation,
} from '../operation.ts'

export const createMemberOperations = (
  deps: ActDeps & PeopleDeps & DeletionDeps,
  { cookie, answerLogin }: { readonly cookie: SessionCookie; readonly answerLogin: AnswerLogin },
): Pick<
  DashboardOperations,
  | 'readInvitation'
  | 'acceptInvitation'
  | 'listMembers'
  | 'inviteMember'
  | 'revokeInvitation'
  | 'changeMemberRole'
  | 'removeMember'
  | 'leaveAccount'
  | 'renameAccount'
  | 'closeAccount'
  | 'listOwnAccounts'
  | 'switchAccount'
> => {
  const { db, clock } = deps
  const teamOf = async ({ account, session }: LoggedIn): Promise<Team> => {
    const [members, invitations] = await Promise.all([
      listMembers(db, account.id),
      listInvitations(db, account.id, clock.now()),
    ])
    return teamView({ members, invitations, selfId: session.person.id })
  }
  return {
    readInvitation: anonymousOperation(dashboardRoutes.readInvitation, async ({ body }) =>
      shownInvitationView(await readInvitation(deps, body.token)),
    ),

    acceptInvitation: anonymousOperation(
      dashboardRoutes.acceptInvitation,
      async ({ body: { token, password = null }, caller: { origin, network, requestId } }) => {
        const request = { address: origin.address, requestId }
        const { email, role } = await acceptIntoAccount(deps, { token, password, network }, request)
        return { email, role }
      },
    ),

    listMembers: operation(dashboardRoutes.listMembers, ({ caller }) => teamOf(caller)),

    inviteMember: operation(dashboardRoutes.inviteMember, async ({ body, caller }) => {
      const { accountId, accountKind } = caller.session.membership
      const { id: inviterId, email: invitedBy } = caller.session.person
      const order = { accountId, accountKind, ...body, invitedBy, inviterId }
      await inviteToAccount(deps, caller.actor, order)
      return teamOf(caller)
    }),

    revokeInvitation: operation(dashboardRoutes.revokeInvitation, async ({ params, caller }) => {
      await takeBackInvitation(deps, caller.actor, { accountId: caller.account.id, id: params.id })
      return teamOf(caller)
    }),

    changeMemberRole: operation(
      dashboardRoutes.changeMemberRole,
      async ({ params, body, caller }) => {
        const order = { accountId: caller.account.id, personId: params.id, role: body.role }
        await changeMemberRole(deps, caller.actor, order)
        return teamOf(caller)
      },
    ),

    removeMember: operation(dashboardRoutes.removeMember, async ({ params, caller }) => {
      const order = { accountId: caller.account.id, personId: params.id }
      await removeFromAccount(deps, caller.actor, order)
      return teamOf(caller)
    }),

    leaveAccount: operation(dashboardRoutes.leaveAccount, async ({ caller }) => {
      const { session, account } = caller
      const { id: personId, email } = session.person
      const order = { accountId: account.id, personId, sessionId: session.id, email }
      await leaveAccount(deps, caller.actor, order)
      return new ResponseWithHeaders({ left: true as const }, { 'set-cookie': cookie.clear() })
    }),

    renameAccount: operation(dashboardRoutes.renameAccount, async ({ body: { name }, caller }) => {
      await renameAccount(deps, caller.actor, { accountId: caller.account.id, name })
      return { name }
    }),

    closeAccount: operation(dashboardRoutes.closeAccount, async ({ body, caller }) => {
      const accountId = caller.account.id
      const account = await findAccount(db, accountId)
      if (body.confirmation.trim() !== (account?.name ?? accountId)) refuseConfirmation()
      await closeMerchantAccount(deps, caller.actor, { accountId })
      return new ResponseWithHeaders({ closed: true as const }, { 'set-cookie': cookie.clear() })
    }),

    listOwnAccounts: operation(dashboardRoutes.listOwnAccounts, async ({ caller: { session } }) => {
      const memberships = await listMemberships(db, session.person.id)
      return Promise.all(
        memberships.map(async (membership) => {
          const account = await findAccount(db, membership.accountId)
          const current = membership.accountId === session.membership.accountId
          return ownAccountView(membership, { name: account?.name ?? null, current })
        }),
      )
    }),

    switchAccount: operation(
      dashboardRoutes.switchAccount,
      async ({ body, caller: { session, origin, requireFreshFactor } }) => {
        const account = await findAccount(db, body.accountId)
        if (account === null || account.status === 'deleted') return refuse('NOT_FOUND')
        // Another session of an administrator begins with a factor, and this one may be weeks old.
        if (account.kind === 'admin') await requireFreshFactor()
        return answerLogin(await switchAccount(deps, { ...body, session, origin }), null)
      },
    ),
  }
}

const refuseConfirmation = (): never =>
  refuseField({
    ...{ in: 'body', pointer: '/confirmation', rule: 'confirmation' },
    message: 'must be the name of the account',
  })
