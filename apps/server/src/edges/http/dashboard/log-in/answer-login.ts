// How a proven factor is answered: with the cookie of a new session, or with the session that is fresh again.
import type { DashboardSession } from '@tradepost/contract'
import type { Clock } from '#infra/process/clock'
import type { BegunSession } from '#people'
import { sessionView } from '#wire/dashboard/session'
import { ResponseWithHeaders } from '../../shared/operation.ts'
import type { SessionCookie } from '../cookies.ts'
import type { Login } from '../operation.ts'

/** The value of `set-cookie` that makes this browser one of the person's. */
export type DeviceCookieOf = (personId: string) => string

export type AnswerLogin = (
  begun: BegunSession | null,
  login: Login | null,
) => ResponseWithHeaders<DashboardSession> | DashboardSession

/** The values of `set-cookie` that log a browser in. */
export type SessionCookies = (begun: BegunSession) => string[]

export function createSessionCookies({
  cookie,
  deviceCookieOf,
  clock,
}: {
  readonly cookie: SessionCookie
  readonly deviceCookieOf: DeviceCookieOf
  readonly clock: Clock
}): SessionCookies {
  const secondsUntil = (at: Date): number =>
    Math.max(0, Math.floor((at.getTime() - clock.now().getTime()) / 1000))
  return ({ token, session }) => [
    cookie.set(token, secondsUntil(session.lastsUntil)),
    deviceCookieOf(session.person.id),
  ]
}

export const createAnswerLogin =
  (sessionCookies: SessionCookies): AnswerLogin =>
  (begun, login) => {
    if (begun !== null) {
      const { token, session } = begun
      return new ResponseWithHeaders(sessionView(session, token), {
        'set-cookie': sessionCookies(begun),
      })
    }
    if (login === null) throw new Error('a challenge of a session was answered without it')
    return sessionView(login.session, login.token)
  }
