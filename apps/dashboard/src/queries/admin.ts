import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export const accountsQuery = ({
  page,
  ...filter
}: {
  readonly q?: string
  readonly kind?: string
  readonly status?: string
  readonly page: number
}) =>
  queryOptions({
    queryKey: ['accounts', filter, page],
    queryFn: () => call('listAccounts', { query: { ...filter, page, limit: 50 } }),
    placeholderData: (previous) => previous,
  })

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => call('getHealth', {}),
  refetchInterval: 5_000,
})

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', id],
    queryFn: () => call('getAccount', { params: { id } }),
  })

export const membersOfAccountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', id, 'members'],
    queryFn: () => call('listMembersOfAccount', { params: { id } }),
  })

export const inspectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['inspectTrade', id],
    queryFn: () => call('inspectTrade', { params: { id } }),
    refetchInterval: 5_000,
  })

export const hitsQuery = (q: string) =>
  queryOptions({
    queryKey: ['searchEverywhere', q],
    queryFn: () => call('searchEverywhere', { query: { q } }),
    enabled: q !== '',
  })

export const caseQuery = (id: string) =>
  queryOptions({ queryKey: ['listCases', id], queryFn: () => call('getCase', { params: { id } }) })

export const anyDeliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['listAllDeliveries', id],
    queryFn: () => call('getAnyDelivery', { params: { id } }),
  })

export const anyEventQuery = (id: string) =>
  queryOptions({
    queryKey: ['getAnyEvent', id],
    queryFn: () => call('getAnyEvent', { params: { id } }),
  })

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: () => call('getQueues', {}),
  refetchInterval: 5_000,
})

export const queueQuery = (name: string) =>
  queryOptions({
    queryKey: ['queues', name],
    queryFn: () => call('listQueue', { params: { name } }),
    refetchInterval: 5_000,
  })

export const suppliersQuery = queryOptions({
  queryKey: ['suppliers'],
  queryFn: () => call('listSuppliers', {}),
  refetchInterval: 10_000,
})

export const chainsQuery = queryOptions({
  queryKey: ['chains'],
  queryFn: () => call('listAdminChains', {}),
  refetchInterval: 10_000,
})

export const defaultsQuery = queryOptions({
  queryKey: ['defaults'],
  queryFn: () => call('getDefaults', {}),
})

export const booksQuery = queryOptions({
  queryKey: ['books'],
  queryFn: () => call('getBooksAudit', {}),
  refetchInterval: 30_000,
})

export const adjustmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['listAdjustments', id],
    queryFn: () => call('getAdjustment', { params: { id } }),
  })
