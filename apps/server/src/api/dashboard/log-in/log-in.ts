// What a visitor does: registering, logging in, answering a challenge, a forgotten password.
import { dashboardRoutes } from '@tradepost/contract'
import type { Tx } from '#infra/db'
import {
  type BegunSession,
  endSession,
  forgetPassword,
  giveSecondFactor,
  logIn,
  type Membership,
  type PeopleDeps,
  refreshSession,
  register,
  resetPassword,
  verifyEmail,
} from '#people'
import { sessionView } from '#wire/dashboard/session'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import { type DashboardOperations, operation, visitorOperation } from '../operation.ts'

export interface LogInDeps {
  readonly people: PeopleDeps
  readonly cookie: SessionCookie
  /** A merchant's account for a new person. */
  openAccount(
    tx: Tx,
    facts: { readonly email: string; readonly country: string | null; readonly at: Date },
  ): Promise<Membership>
}

export const createLogInOperations = ({
  people,
  cookie,
  openAccount,
}: LogInDeps): Pick<
  DashboardOperations,
  | 'register'
  | 'verifyEmail'
  | 'logIn'
  | 'giveSecondFactor'
  | 'forgetPassword'
  | 'resetPassword'
  | 'logOut'
  | 'refreshSession'
> => {
  const secondsUntil = (at: Date): number =>
    Math.max(0, Math.floor((at.getTime() - people.clock.now().getTime()) / 1000))
  const begun = ({ token, session }: BegunSession) =>
    new ResponseWithHeaders(sessionView(session, token), {
      'set-cookie': cookie.set(token, secondsUntil(session.lastsUntil)),
    })
  return {
    register: visitorOperation(dashboardRoutes.register, async ({ body }) => {
      const { email, password, country = null } = body
      await register(people, { email, password }, (tx, at) =>
        openAccount(tx, { email, country, at }),
      )
      return { mailSent: true }
    }),

    verifyEmail: visitorOperation(dashboardRoutes.verifyEmail, async ({ body }) => {
      await verifyEmail(people, body.token)
      return { emailVerified: true }
    }),

    logIn: visitorOperation(dashboardRoutes.logIn, async ({ body, caller: { origin, network } }) =>
      begun(await logIn(people, { ...body, origin, network })),
    ),

    giveSecondFactor: visitorOperation(
      dashboardRoutes.giveSecondFactor,
      async ({ body, caller: { origin, login } }) => {
        const sessionId = login?.session.id ?? null
        const started = await giveSecondFactor(people, { ...body, origin, sessionId })
        if (started !== null) return begun(started)
        // The challenge was one of this session, which is fresh again.
        if (login === null) throw new Error('a challenge of a session was answered without it')
        return sessionView(login.session, login.token)
      },
    ),

    forgetPassword: visitorOperation(dashboardRoutes.forgetPassword, async ({ body }) => {
      await forgetPassword(people, body.email)
      return { mailSent: true }
    }),

    resetPassword: visitorOperation(
      dashboardRoutes.resetPassword,
      async ({ body, caller: { origin } }) => {
        await resetPassword(people, { ...body, origin })
        return { passwordChanged: true }
      },
    ),

    logOut: operation(dashboardRoutes.logOut, async ({ caller: { session } }) => {
      const at = people.clock.now()
      await endSession(people.db, { id: session.id, personId: session.person.id, at })
      return new ResponseWithHeaders({ loggedOut: true as const }, { 'set-cookie': cookie.clear() })
    }),

    refreshSession: operation(dashboardRoutes.refreshSession, async ({ caller }) => {
      const { session, token } = caller
      const at = people.clock.now()
      const next = await refreshSession(people.db, { id: session.id, token, at })
      // Another tab has the new token; this one receives it with the browser's cookie.
      return next === null ? sessionView(session, token) : begun({ token: next, session })
    }),
  }
}
