import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { withoutFeed } from '../live/follow.ts'
import type { FigureSpan } from './figures.ts'

const LIVE_MS = 5_000

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
    queryKey: ['listAccounts', filter, page],
    queryFn: () => call('listAccounts', { query: { ...filter, page, limit: 50 } }),
    placeholderData: (previous) => previous,
  })

export const healthQuery = queryOptions({
  queryKey: ['getHealth'],
  queryFn: () => call('getHealth', {}),
  // Also what workers report by time alone.
  refetchInterval: LIVE_MS,
})

/** Deliveries that an operator decides about. */
export const undecidedQuery = queryOptions({
  queryKey: ['listCases', 'undecided'],
  queryFn: () =>
    call('listCases', { query: { state: 'open', kind: 'reversal_unclear', limit: 100 } }),
  refetchInterval: LIVE_MS,
})

export const serviceFiguresQuery = (span: FigureSpan) =>
  queryOptions({
    queryKey: ['getServiceFigures', span],
    queryFn: () => call('getServiceFigures', { query: { span } }),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

export const waitingQuery = queryOptions({
  queryKey: ['countWaiting'],
  queryFn: () => call('countWaiting', {}),
  refetchInterval: withoutFeed(30_000),
})

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['listAccounts', id],
    queryFn: () => call('getAccount', { params: { id } }),
  })

export const membersOfAccountQuery = (id: string) =>
  queryOptions({
    queryKey: ['listAccounts', id, 'members'],
    queryFn: () => call('listMembersOfAccount', { params: { id } }),
  })

export const inspectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['inspectTrade', id],
    queryFn: () => call('inspectTrade', { params: { id } }),
    refetchInterval: withoutFeed(LIVE_MS),
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

export const anyMarketOrderQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['getAnyMarketOrder', orderId],
    queryFn: () => call('getAnyMarketOrder', { params: { orderId } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const queuesQuery = queryOptions({
  queryKey: ['getQueues'],
  queryFn: () => call('getQueues', {}),
  refetchInterval: withoutFeed(LIVE_MS),
})

export const queueQuery = (name: string) =>
  queryOptions({
    queryKey: ['listQueue', name],
    queryFn: () => call('listQueue', { params: { name } }),
    refetchInterval: withoutFeed(LIVE_MS),
  })

export const suppliersQuery = queryOptions({
  queryKey: ['listSuppliers'],
  queryFn: () => call('listSuppliers', {}),
  refetchInterval: 10_000,
})

export const marketAccountsQuery = queryOptions({
  queryKey: ['listMarketAccounts'],
  queryFn: () => call('listMarketAccounts', {}),
  refetchInterval: 10_000,
})

export const chainsQuery = queryOptions({
  queryKey: ['listAdminChains'],
  queryFn: () => call('listAdminChains', {}),
  refetchInterval: 10_000,
})

export const defaultsQuery = queryOptions({
  queryKey: ['getDefaults'],
  queryFn: () => call('getDefaults', {}),
})

export const booksQuery = queryOptions({
  queryKey: ['getBooksAudit'],
  queryFn: () => call('getBooksAudit', {}),
  refetchInterval: 30_000,
})

export const adjustmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['listAdjustments', id],
    queryFn: () => call('getAdjustment', { params: { id } }),
  })

export const sellingPolicyQuery = queryOptions({
  queryKey: ['getSellingPolicy'],
  queryFn: () => call('getSellingPolicy', {}),
})
