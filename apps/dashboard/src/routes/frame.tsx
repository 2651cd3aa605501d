// The routes that hold the others: the root, and the frame of every page of a person with a session.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { type ListRouteId, rowsQuery } from '../queries/rows.ts'
import { sessionQuery } from '../queries/session.ts'
import { LoadingAnonymousPage, NotFoundInFrame } from '../shell/fallbacks.tsx'
import { firstPageOf, isPageOfOthers } from '../shell/navigation.ts'
import { Shell } from '../shell/shell.tsx'

interface Context {
  readonly queries: QueryClient
}

type Importer = Parameters<typeof lazyRouteComponent>[0]
type LazyPage = [importer: Importer, exportName: string]

/** The search parameters of a page: texts, exactly as the interface takes them. */
export type Search = Readonly<Record<string, string>>

/** Begins to load what the page shows; nothing waits for it. */
export type Begin = (
  queries: QueryClient,
  at: { readonly search: Search; readonly params: Readonly<Record<string, string | undefined>> },
) => unknown

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What main.tsx begins to load before it draws the first page. */
    readonly begin?: Begin
  }
}

export const root = createRootRouteWithContext<Context>()({})

/** Without a session these pages lead to the log-in page and back; those of another kind of account, home. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  notFoundComponent: NotFoundInFrame,
  staticData: { begin: (queries) => queries.prefetchQuery(sessionQuery) },
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/login', search: { next: location.href } })
    const kind = session.user.accountKind
    if (isPageOfOthers(kind, location.pathname)) throw redirect({ to: firstPageOf(kind) })
    return { session }
  },
})

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
) => firstPage(path, lazyRouteComponent(importer, exportName), begin)

const SOON_MS = 200
let isDrawn = false

/**
 * The first page is drawn once, with its data, where they arrive soon; else with their places, as every later
 * page, which waits for nothing.
 */
function untilDrawable(data: unknown): Promise<unknown> | undefined {
  if (isDrawn) return undefined
  isDrawn = true
  return Promise.race([data, new Promise((resolve) => setTimeout(resolve, SOON_MS))])
}

/**
 * A page that most people see first: its code comes with that of the frame, not in a request that follows.
 */
export const firstPage = <const Path extends string>(
  path: Path,
  component: RouteComponent,
  begin?: Begin,
) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: (search: Record<string, unknown>): { [name: string]: string } =>
      search as { [name: string]: string },
    loader: ({ context, location, params }) => {
      const search = location.search as Search
      return untilDrawable(begin?.(context.queries, { search, params: params as never }))
    },
    component,
    ...(begin && { staticData: { begin } }),
  })

/** The first rows of a list without filters: with filters, its page asks for them. */
export const beginRows =
  (route: ListRouteId, fixed: Search = {}): Begin =>
  (queries, { search }) =>
    Object.keys(search).length === 0 &&
    queries.prefetchInfiniteQuery(rowsQuery({ route, query: fixed }))

/** A page before a login. */
export const anonymousPage = <const Path extends string>(path: Path, ...component: LazyPage) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(...component),
    pendingComponent: LoadingAnonymousPage,
  })
