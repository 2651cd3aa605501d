// The routes that hold the others: the root, and the frame of every page of a person with a session.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { sessionQuery } from '../queries/session.ts'
import { Shell } from '../shell/shell.tsx'

interface Context {
  readonly queries: QueryClient
}

export const root = createRootRouteWithContext<Context>()({})

/** Without a session these pages lead to the log-in page and back. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/login', search: { next: location.href } })
    return { session }
  },
})

type LazyPage = Parameters<typeof lazyRouteComponent>

/** The search parameters of a page: texts, exactly as the interface takes them. */
export type Search = Readonly<Record<string, string>>

/** A page of a person with a session, loaded when it is first opened. */
export const page = <const Path extends string>(path: Path, ...component: LazyPage) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: (search: Record<string, unknown>): { [name: string]: string } =>
      search as { [name: string]: string },
    component: lazyRouteComponent(...component),
  })

/** A page before a login. */
export const visitorPage = <const Path extends string>(path: Path, ...component: LazyPage) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(...component) })
