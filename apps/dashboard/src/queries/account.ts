import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: () => call('listKeys', {}) })

export const webhookQuery = queryOptions({
  queryKey: ['webhook'],
  queryFn: () => call('getWebhook', {}),
})

export const deliveriesQuery = infiniteQueryOptions({
  queryKey: ['deliveries'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam }) => call('listDeliveries', { query: { cursor: pageParam, limit: 50 } }),
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
})

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: () => call('getDelivery', { params: { id } }),
  })

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => call('listSessions', {}),
})
