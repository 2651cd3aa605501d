// A person's own login: sessions, password, second factor.
import { dashboardRoutes } from '@tradepost/contract'
import { findAccount } from '#identity'
import { deleteLogin } from '#operations'
import {
  beginMailFactor,
  beginTotp,
  changePassword,
  checkPassword,
  confirmEmailChange,
  countRecovery,
  disableTwoFactor,
  enableMailFactor,
  enableTotp,
  endOtherSessions,
  endSession,
  keepFactor,
  listSessions,
  type PeopleDeps,
  renewRecoveryCodes,
  requestEmailChange,
} from '#people'
import { findPausedSince } from '#trades'
import { sessionItemView, sessionView } from '#wire/dashboard/session'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import {
  anonymousOperation,
  type DashboardOperations,
  type LoggedIn,
  operation,
} from '../operation.ts'

export const createSessionOperations = (
  people: PeopleDeps,
  cookie: SessionCookie,
  sandboxUrl: string | null,
): Pick<
  DashboardOperations,
  | 'getSession'
  | 'getSandbox'
  | 'listSessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'changePassword'
  | 'changeEmail'
  | 'confirmEmail'
  | 'deleteLogin'
  | 'beginTotp'
  | 'enableTotp'
  | 'beginMailFactor'
  | 'enableMailFactor'
  | 'disableTwoFactor'
  | 'getRecoveryCodes'
  | 'renewRecoveryCodes'
  | 'keepFactor'
> => ({
  getSession: operation(dashboardRoutes.getSession, async ({ caller }) => {
    const { session, token, isSuspended } = caller
    const tradingPausedSince = await findPausedSince(people.db)
    const status = { isSuspended, tradingPausedSince, sandboxUrl }
    if (session.impersonation === null) return sessionView(session, token, status)
    const account = await findAccount(people.db, session.membership.accountId)
    const accountName = account?.name ?? account?.email ?? ''
    return sessionView(session, token, { ...status, accountName })
  }),

  getSandbox: anonymousOperation(dashboardRoutes.getSandbox, async () => ({ url: sandboxUrl })),

  listSessions: operation(dashboardRoutes.listSessions, async ({ caller: { session } }) => {
    const sessions = await listSessions(people.db, session.person.id, people.clock.now())
    return sessions.map((each) => sessionItemView(each, session.id))
  }),

  endSession: operation(dashboardRoutes.endSession, async ({ params, caller: { actor } }) => {
    await endSession(people, actor, params.id)
    return { ended: 1 }
  }),

  endOtherSessions: operation(
    dashboardRoutes.endOtherSessions,
    async ({ caller: { actor, session } }) => ({
      ended: await endOtherSessions(people, actor, session.id),
    }),
  ),

  changePassword: operation(dashboardRoutes.changePassword, async ({ body, caller }) => {
    await changePassword(people, {
      ...holderOf(caller),
      current: body.currentPassword,
      next: body.newPassword,
      origin: caller.origin,
    })
    return { passwordChanged: true }
  }),

  changeEmail: operation(dashboardRoutes.changeEmail, async ({ body, caller }) => {
    await requestEmailChange(people, { ...holderOf(caller), ...body, origin: caller.origin })
    return { mailSent: true }
  }),

  confirmEmail: anonymousOperation(dashboardRoutes.confirmEmail, ({ body, caller: { origin } }) =>
    confirmEmailChange(people, { ...body, origin }),
  ),

  deleteLogin: operation(
    dashboardRoutes.deleteLogin,
    async ({ body, caller: { session, actor, origin } }) => {
      const personId = session.person.id
      await checkPassword(people, { personId, password: body.password, origin })
      await deleteLogin(people, actor, { personId, sessionId: session.id })
      return new ResponseWithHeaders({ deleted: true as const }, { 'set-cookie': cookie.clear() })
    },
  ),

  beginTotp: operation(dashboardRoutes.beginTotp, async ({ caller }) =>
    beginTotp(people, holderOf(caller)),
  ),

  enableTotp: operation(dashboardRoutes.enableTotp, async ({ body, caller }) => {
    const recoveryCodes = await enableTotp(people, { ...holderOf(caller), ...body })
    return { recoveryCodes: recoveryCodes && [...recoveryCodes] }
  }),

  beginMailFactor: operation(dashboardRoutes.beginMailFactor, async ({ caller }) => {
    const { challengeId } = await beginMailFactor(people, holderOf(caller))
    return { challengeId }
  }),

  enableMailFactor: operation(dashboardRoutes.enableMailFactor, async ({ body, caller }) => {
    const order = { ...holderOf(caller), ...body, origin: caller.origin }
    const recoveryCodes = await enableMailFactor(people, order)
    return { recoveryCodes: recoveryCodes && [...recoveryCodes] }
  }),

  disableTwoFactor: operation(dashboardRoutes.disableTwoFactor, async ({ caller }) => {
    await disableTwoFactor(people, holderOf(caller))
    return { twoFactorEnabled: false }
  }),

  getRecoveryCodes: operation(dashboardRoutes.getRecoveryCodes, async ({ caller }) => ({
    left: await countRecovery(people, caller.session.person.id),
  })),

  renewRecoveryCodes: operation(dashboardRoutes.renewRecoveryCodes, async ({ caller }) => ({
    recoveryCodes: [...(await renewRecoveryCodes(people, holderOf(caller)))],
  })),

  keepFactor: operation(dashboardRoutes.keepFactor, async ({ caller: { actor } }) => {
    await keepFactor(people, actor)
    return { kept: true }
  }),
})

const holderOf = ({ session, actor }: LoggedIn) => ({
  ...{ personId: session.person.id, sessionId: session.id, actor },
})
