import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export const accountsQuery = ({
  q,
  page,
}: {
  readonly q?: string | undefined
  readonly page: number
}) =>
  queryOptions({
    queryKey: ['accounts', q ?? '', page],
    queryFn: () => call('listAccounts', { query: { q, page, limit: 50 } }),
    placeholderData: (previous) => previous,
  })

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => call('getHealth', {}),
  refetchInterval: 5_000,
})
