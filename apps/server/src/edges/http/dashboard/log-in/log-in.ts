// What an anonymous caller does: registering, logging in, answering a challenge, a forgotten password.
import { dashboardRoutes } from '@tradepost/contract'
import { endLook } from '#operations'
import {
  askForFactorRemoval,
  forgetPassword,
  giveSecondFactor,
  keepFactorByLink,
  LINK_HOURS,
  logIn,
  logOut,
  mailCode,
  type PeopleDeps,
  refreshSession,
  register,
  resendVerification,
  resetPassword,
  verifyEmail,
} from '#people'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import { anonymousOperation, type DashboardOperations, operation } from '../operation.ts'
import type { AnswerLogin, DeviceCookieOf, SessionCookies } from './answer-login.ts'

export interface LogInDeps {
  readonly people: PeopleDeps
  readonly cookie: SessionCookie
  readonly impersonationCookie: SessionCookie
  readonly registrationCookie: SessionCookie
  readonly answerLogin: AnswerLogin
  readonly sessionCookies: SessionCookies
  readonly deviceCookieOf: DeviceCookieOf
}

export const createLogInOperations = ({
  people,
  cookie,
  impersonationCookie,
  registrationCookie,
  answerLogin,
  sessionCookies,
  deviceCookieOf,
}: LogInDeps): Pick<
  DashboardOperations,
  | 'register'
  | 'verifyEmail'
  | 'resendVerification'
  | 'logIn'
  | 'giveSecondFactor'
  | 'sendFactorCode'
  | 'askForFactorRemoval'
  | 'keepFactorByLink'
  | 'forgetPassword'
  | 'resetPassword'
  | 'logOut'
  | 'refreshSession'
> => {
  return {
    register: anonymousOperation(
      dashboardRoutes.register,
      async ({ body, caller: { origin, network } }) => {
        const { email, password, country = null } = body
        const mark = await register(people, { email, password, country, origin, network })
        return new ResponseWithHeaders(
          { mailSent: true as const },
          { 'set-cookie': registrationCookie.set(mark, LINK_HOURS * 3600) },
        )
      },
    ),

    verifyEmail: anonymousOperation(
      dashboardRoutes.verifyEmail,
      async ({ body, caller: { origin, registration: mark } }) => {
        const begun = await verifyEmail(people, { ...body, origin, mark })
        const answer = { emailVerified: true as const, loggedIn: begun !== null }
        if (begun === null) return answer
        return new ResponseWithHeaders(answer, {
          'set-cookie': [...sessionCookies(begun), registrationCookie.clear()],
        })
      },
    ),

    resendVerification: anonymousOperation(dashboardRoutes.resendVerification, async ({ body }) => {
      await resendVerification(people, body.email)
      return { mailSent: true }
    }),

    logIn: anonymousOperation(
      dashboardRoutes.logIn,
      async ({ body, caller: { origin, network, device } }) =>
        answerLogin(await logIn(people, { ...body, origin, network, device }), null),
    ),

    giveSecondFactor: anonymousOperation(
      dashboardRoutes.giveSecondFactor,
      async ({ body, caller: { origin, login } }) => {
        const sessionId = login?.session.id ?? null
        const answer = { ...body, origin, sessionId }
        return answerLogin(await giveSecondFactor(people, answer), login)
      },
    ),

    sendFactorCode: anonymousOperation(
      dashboardRoutes.sendFactorCode,
      async ({ body, caller: { login } }) => {
        await mailCode(people, { ...body, sessionId: login?.session.id ?? null })
        return { mailSent: true }
      },
    ),

    askForFactorRemoval: anonymousOperation(
      dashboardRoutes.askForFactorRemoval,
      async ({ body, caller: { origin } }) => {
        const { removesAt } = await askForFactorRemoval(people, { ...body, origin })
        return { removesAt: removesAt.toISOString() }
      },
    ),

    keepFactorByLink: anonymousOperation(
      dashboardRoutes.keepFactorByLink,
      async ({ body, caller: { origin } }) => {
        await keepFactorByLink(people, { ...body, origin })
        return { kept: true }
      },
    ),

    forgetPassword: anonymousOperation(dashboardRoutes.forgetPassword, async ({ body }) => {
      await forgetPassword(people, body.email)
      return { mailSent: true }
    }),

    resetPassword: anonymousOperation(
      dashboardRoutes.resetPassword,
      async ({ body, caller: { origin, network } }) => {
        const { personId } = await resetPassword(people, { ...body, origin, network })
        // Who reads the mailbox may log in from here, however often attackers have failed.
        const answer = { passwordChanged: true as const }
        return new ResponseWithHeaders(answer, { 'set-cookie': deviceCookieOf(personId) })
      },
    ),

    logOut: operation(dashboardRoutes.logOut, async ({ caller: { session, actor } }) => {
      const { impersonation } = session
      if (impersonation !== null) await endLook(people, actor, impersonation)
      // The log-in that ends is the administrator's: it is in no other account's log.
      const { accountId, ...own } = actor
      await logOut(people, impersonation === null ? actor : own, session.id)
      const cleared = [cookie.clear(), impersonationCookie.clear()]
      return new ResponseWithHeaders({ loggedOut: true as const }, { 'set-cookie': cleared })
    }),

    refreshSession: operation(dashboardRoutes.refreshSession, async ({ caller }) => {
      const { session, token } = caller
      const at = people.clock.now()
      const next = await refreshSession(people.db, { id: session.id, token, at })
      // Another tab has the new token; this one receives it with the browser's cookie.
      return answerLogin(next === null ? null : { token: next, session }, caller)
    }),
  }
}
