// The rows of a list: pages of 100 by cursor, at most 20 of them in memory, loaded in both directions.
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { type Answer, call, type Request, type RouteId } from '../../api/call.ts'

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

const PAGE_ROWS = 100
const MAX_PAGES = 20
const NEWEST_ROWS = 20
const NEWEST_EVERY_MS = 10_000

/** A page's number, its cursor, and the page before it: cursors lead forward only. */
interface PageParam {
  readonly index: number
  readonly cursor: string | undefined
  readonly previous: PageParam | undefined
}

interface CursorPage {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null
}

const fetchPage = async <Id extends ListRouteId>(
  { route, params, query }: ListRequest<Id>,
  paging: Readonly<Record<string, string | number | undefined>>,
): Promise<CursorPage> =>
  (await call(route, {
    params,
    query: { ...query, ...paging },
  } as unknown as Request<Id>)) as CursorPage

const rowsQuery = <Id extends ListRouteId>(request: ListRequest<Id>) =>
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

/**
 * `start` is the number of rows above the first one in memory, so that nothing moves when a page is
 * dropped. `fresh` are the newest rows of now, `newCount` how many of them are above the list.
 */
export function useRows<Id extends ListRouteId>(
  request: ListRequest<Id>,
  { keyOf, isLive }: { readonly keyOf: (row: RowOf<Id>) => string; readonly isLive: boolean },
) {
  const list = useInfiniteQuery({ ...rowsQuery(request), placeholderData: keepPreviousData })
  const loaded = (list.data?.pages.flatMap(({ items }) => items) ?? []) as RowOf<Id>[]
  const start = ((list.data?.pageParams[0] as PageParam | undefined)?.index ?? 0) * PAGE_ROWS
  const newest = useQuery({
    queryKey: [request.route, 'newest', request.params ?? {}, request.query],
    queryFn: () => fetchPage(request, { limit: NEWEST_ROWS }),
    enabled: isLive && list.isSuccess,
    refetchInterval: NEWEST_EVERY_MS,
    initialData: () =>
      list.data && start === 0
        ? { items: loaded.slice(0, NEWEST_ROWS), nextCursor: null }
        : undefined,
    staleTime: NEWEST_EVERY_MS,
  })
  const fresh = (newest.data?.items ?? []) as RowOf<Id>[]
  const freshByKey = new Map(fresh.map((row) => [keyOf(row), row]))
  const top = loaded[0]
  const at = top === undefined ? -1 : fresh.findIndex((row) => keyOf(row) === keyOf(top))
  const newCount = start > 0 ? 0 : at === -1 ? fresh.length : at
  return {
    list,
    start,
    rows: loaded.map((row) => freshByKey.get(keyOf(row)) ?? row),
    newCount: list.isPlaceholderData ? 0 : newCount,
    isManyNew: at === -1 && fresh.length === NEWEST_ROWS,
  }
}
