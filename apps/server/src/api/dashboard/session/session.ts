// A person's own login: sessions, password, second factor.
import { dashboardRoutes } from '@tradepost/contract'
import { findAccount } from '#identity'
import { refuse } from '#kernel/refusal'
import { deleteLogin } from '#operations'
import {
  beginMailFactor,
  beginTotp,
  changePassword,
  checkPassword,
  confirmEmailChange,
  disableTwoFactor,
  enableMailFactor,
  enableTotp,
  endOtherSessions,
  endSession,
  keepFactor,
  listSessions,
  type PeopleDeps,
  requestEmailChange,
} from '#people'
import { sessionItemView, sessionView } from '#wire/dashboard/session'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import { type DashboardOperations, operation, visitorOperation } from '../operation.ts'

export const createSessionOperations = (
  people: PeopleDeps,
  cookie: SessionCookie,
): Pick<
  DashboardOperations,
  | 'getSession'
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
  | 'keepFactor'
> => ({
  getSession: operation(dashboardRoutes.getSession, async ({ caller: { session, token } }) => {
    if (session.impersonation === null) return sessionView(session, token)
    const account = await findAccount(people.db, session.membership.accountId)
    return sessionView(session, token, account?.name ?? account?.email ?? '')
  }),

  listSessions: operation(dashboardRoutes.listSessions, async ({ caller: { session } }) => {
    const sessions = await listSessions(people.db, session.person.id, people.clock.now())
    return sessions.map((each) => sessionItemView(each, session.id))
  }),

  endSession: operation(dashboardRoutes.endSession, async ({ params, caller: { session } }) => {
    const at = people.clock.now()
    const personId = session.person.id
    if (!(await endSession(people.db, { id: params.id, personId, at }))) refuse('NOT_FOUND')
    return { ended: 1 }
  }),

  endOtherSessions: operation(
    dashboardRoutes.endOtherSessions,
    async ({ caller: { session } }) => ({
      ended: await endOtherSessions(people.db, {
        personId: session.person.id,
        keepId: session.id,
        at: people.clock.now(),
      }),
    }),
  ),

  changePassword: operation(
    dashboardRoutes.changePassword,
    async ({ body, caller: { session, origin } }) => {
      await changePassword(people, {
        personId: session.person.id,
        sessionId: session.id,
        current: body.currentPassword,
        next: body.newPassword,
        origin,
      })
      return { passwordChanged: true }
    },
  ),

  changeEmail: operation(
    dashboardRoutes.changeEmail,
    async ({ body, caller: { session, origin } }) => {
      await requestEmailChange(people, { personId: session.person.id, ...body, origin })
      return { mailSent: true }
    },
  ),

  confirmEmail: visitorOperation(dashboardRoutes.confirmEmail, ({ body }) =>
    confirmEmailChange(people, body.token),
  ),

  deleteLogin: operation(
    dashboardRoutes.deleteLogin,
    async ({ body, caller: { session, actor } }) => {
      const personId = session.person.id
      await checkPassword(people, { personId, password: body.password })
      await deleteLogin(people, actor, personId)
      return new ResponseWithHeaders({ deleted: true as const }, { 'set-cookie': cookie.clear() })
    },
  ),

  beginTotp: operation(dashboardRoutes.beginTotp, async ({ caller: { session } }) =>
    beginTotp(people, { personId: session.person.id, sessionId: session.id }),
  ),

  enableTotp: operation(dashboardRoutes.enableTotp, async ({ body, caller: { session } }) => ({
    recoveryCodes: [
      ...(await enableTotp(people, {
        personId: session.person.id,
        sessionId: session.id,
        code: body.code,
      })),
    ],
  })),

  beginMailFactor: operation(dashboardRoutes.beginMailFactor, async ({ caller: { session } }) => {
    const holder = { personId: session.person.id, sessionId: session.id }
    const { challengeId } = await beginMailFactor(people, holder)
    return { challengeId }
  }),

  enableMailFactor: operation(
    dashboardRoutes.enableMailFactor,
    async ({ body, caller: { session } }) => {
      const holder = { personId: session.person.id, sessionId: session.id }
      const recoveryCodes = await enableMailFactor(people, { ...holder, ...body })
      return { recoveryCodes: recoveryCodes && [...recoveryCodes] }
    },
  ),

  disableTwoFactor: operation(dashboardRoutes.disableTwoFactor, async ({ caller: { session } }) => {
    await disableTwoFactor(people, { personId: session.person.id, sessionId: session.id })
    return { twoFactorEnabled: false }
  }),

  keepFactor: operation(dashboardRoutes.keepFactor, async ({ caller: { session } }) => {
    await keepFactor(people, session.person.id)
    return { kept: true }
  }),
})
