// The rows of a list: pages of 100 by cursor, at most 20 of them in memory, loaded in both directions.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { withoutFeed } from '../../live/follow.ts'
import {
  fetchPage,
  type ListRequest,
  type ListRouteId,
  PAGE_ROWS,
  type PageParam,
  type RowOf,
  rowsQuery,
} from '../../queries/rows.ts'

const NEWEST_ROWS = 20
const NEWEST_EVERY_MS = 10_000

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
    refetchInterval: withoutFeed(NEWEST_EVERY_MS),
    // Rows that were read before a change are no newest ones.
    initialData: () =>
      list.data && start === 0 && !list.isStale
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
    newCount: list.isPlaceholderData || list.isRefetching ? 0 : newCount,
    isManyNew: at === -1 && fresh.length === NEWEST_ROWS,
  }
}
