// The rows of a list, as pages of 100 by cursor. Apart from the list itself, so that a route can begin to
// load them before the code of its page is there.
import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Answer, call, type Request, type RouteId } from '../api/call.ts'

/** Routes that answer a page of a cursor list. */
export type ListRouteId = {
  [Id in RouteId]: Answer<Id> extends {
    readonly items: readonly unknown[]
    readonly nextCursor: string | null
  }
    ? Id
    : never
}[RouteId]

export type RowOf<Id extends ListRouteId> =
  Answer<Id> extends { readonly items: readonly (infer Row)[] } ? Row : never

export interface ListRequest<Id extends ListRouteId> {
  readonly route: Id
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query: Readonly<Record<string, string>>
}

export const PAGE_ROWS = 100
const MAX_PAGES = 20

/** A page's number, its cursor, and the page before it: cursors lead forward only. */
export interface PageParam {
  readonly index: number
  readonly cursor: string | undefined
  readonly previous: PageParam | undefined
}

export interface CursorPage {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null
  readonly asOf?: string
}

export const fetchPage = async <Id extends ListRouteId>(
  { route, params, query }: ListRequest<Id>,
  paging: Readonly<Record<string, string | number | undefined>>,
): Promise<CursorPage> =>
  (await call(route, {
    params,
    query: { ...query, ...paging },
  } as unknown as Request<Id>)) as CursorPage

export const rowsQuery = <Id extends ListRouteId>(request: ListRequest<Id>) =>
  infiniteQueryOptions({
    queryKey: [request.route, 'rows', request.params ?? {}, request.query],
    initialPageParam: { index: 0, cursor: undefined, previous: undefined } as PageParam,
    queryFn: ({ pageParam }) => fetchPage(request, { cursor: pageParam.cursor, limit: PAGE_ROWS }),
    getNextPageParam: ({ nextCursor }, _pages, last): PageParam | undefined =>
      nextCursor === null
        ? undefined
        : { index: last.index + 1, cursor: nextCursor, previous: last },
    getPreviousPageParam: (_page, _pages, first): PageParam | undefined => first.previous,
    maxPages: MAX_PAGES,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
