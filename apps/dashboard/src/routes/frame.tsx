// The routes that hold the others: the root, and the frame of every page of a person with a session.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { type ListRouteId, rowsQuery } from '../queries/rows.ts'
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

type Importer = Parameters<typeof lazyRouteComponent>[0]
type LazyPage = [importer: Importer, exportName: string]

/** The search parameters of a page: texts, exactly as the interface takes them. */
export type Search = Readonly<Record<string, string>>

/** Begins to load what the page shows; nothing waits for it. */
export type Begin = (
  queries: QueryClient,
  at: { readonly search: Search; readonly params: Readonly<Record<string, string | undefined>> },
) => unknown

export const idOf = ({ params: { id = '' } }: Parameters<Begin>[1]): string => id

/**
 * A page of a person with a session. Its code and what `begin` asks for are loaded when it is opened, and
 * already when a link to it is pointed at or has the focus.
 */
export const page = <const Path extends string>(
  path: Path,
  importer: Importer,
  exportName: string,
  begin?: Begin,
) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: (search: Record<string, unknown>): { [name: string]: string } =>
      search as { [name: string]: string },
    loader: ({ context, location, params }) => {
      void begin?.(context.queries, { search: location.search as Search, params: params as never })
    },
    component: lazyRouteComponent(importer, exportName),
  })

/** The first rows of a list without filters: with filters, its page asks for them. */
export const beginRows =
  (route: ListRouteId, fixed: Search = {}): Begin =>
  (queries, { search }) =>
    Object.keys(search).length === 0 &&
    queries.prefetchInfiniteQuery(rowsQuery({ route, query: fixed }))

/** A page before a login. */
export const visitorPage = <const Path extends string>(path: Path, ...component: LazyPage) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(...component) })
