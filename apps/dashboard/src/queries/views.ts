import { queryOptions } from '@tanstack/react-query'
import type { ViewedList } from '@tradepost/contract'
import { call } from '../api/call.ts'

/** The reader's saved views of a list. */
export const viewsQuery = (list: ViewedList) =>
  queryOptions({
    queryKey: ['listViews', list],
    queryFn: () => call('listViews', { query: { list } }),
    staleTime: 300_000,
  })
