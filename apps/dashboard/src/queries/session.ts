// The session of this browser: every page asks for it before it is shown.

import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { DashboardSession } from '@tradepost/contract'
import { ApiError, call, rememberCsrfToken } from '../api/call.ts'

const LOGGED_OUT = new Set(['UNAUTHENTICATED', 'SESSION_EXPIRED'])

export const isLoggedOut = (error: unknown): boolean =>
  error instanceof ApiError && LOGGED_OUT.has(error.key)

/** Null for an anonymous caller. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<DashboardSession | null> => {
    try {
      return await call('getSession', {})
    } catch (error) {
      if (isLoggedOut(error)) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** The console of the sandbox, for a person with a session; null: outside of it. */
export function useSandboxUrl(): string | null {
  const { data: session } = useQuery(sessionQuery)
  return session?.sandboxUrl ?? null
}

/**
 * Where mail arrives in the sandbox, also for an anonymous caller: it changes with a start of the service
 * alone.
 */
export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: () => call('getSandbox', {}),
  staleTime: Number.POSITIVE_INFINITY,
})

/**
 * After a login, or on another account: nothing of what was read before stays. The session is read, because
 * the answer to a login says neither how the account stands nor where the sandbox is.
 */
export async function enterSession(queries: QueryClient): Promise<void> {
  const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
  queries.clear()
  queries.setQueryData(sessionQuery.queryKey, session)
}

/** After a logout: the page is loaded anew, so that nothing of the session stays in memory. */
export const leave = (): void => window.location.assign('/dashboard/login')

/** Where a person whose session has ended logs in and is led back to this page. */
export function logInAgain(): string {
  const { pathname, search } = window.location
  const next = pathname.slice('/dashboard'.length) + search
  return `/dashboard/login?${new URLSearchParams({ next })}`
}

/** After a session that has ended by itself: the page stays, with nothing of the session. */
export const forgetSession = (queries: QueryClient): void => {
  rememberCsrfToken(null)
  queries.clear()
  queries.setQueryData(sessionQuery.queryKey, null)
}

/** The service decides; this only leaves out buttons that it would refuse. */
export function useCapability(capability: DashboardSession['capabilities'][number]): boolean {
  const { data: session } = useQuery(sessionQuery)
  return session?.capabilities.includes(capability) ?? false
}
