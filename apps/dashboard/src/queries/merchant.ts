// What a merchant's pages read that is no list.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const
export type Span = keyof typeof DAYS
export const SPANS = Object.keys(DAYS) as readonly Span[]
const WHEN_NOT_CHOSEN: Span = 'month'

export const spanOf = (text: string | undefined): Span =>
  SPANS.find((span) => span === text) ?? WHEN_NOT_CHOSEN

export const overviewQuery = (span: Span) =>
  queryOptions({
    queryKey: ['getOverview', span],
    queryFn: () => {
      // The service's own default is the same thirty days.
      if (span === WHEN_NOT_CHOSEN) return call('getOverview', {})
      const from = new Date(Date.now() - DAYS[span] * 86_400_000).toISOString()
      return call('getOverview', { query: { from } })
    },
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })

const UNDER_WAY = new Set(['initiated', 'pending', 'active', 'hold'])

export const tradeQuery = (tradeId: string) =>
  queryOptions({
    queryKey: ['getTradePage', tradeId],
    queryFn: () => call('getTradePage', { params: { tradeId } }),
    // A trade that has ended changes no more.
    refetchInterval: ({ state }) => (UNDER_WAY.has(state.data?.trade.status ?? '') ? 3_000 : false),
  })

export const walletsQuery = queryOptions({
  queryKey: ['listWallets'],
  queryFn: () => call('listWallets', {}),
  refetchInterval: 10_000,
})

export const userQuery = (id: string) =>
  queryOptions({ queryKey: ['getUser', id], queryFn: () => call('getUser', { params: { id } }) })

export const feesQuery = queryOptions({
  queryKey: ['getFees'],
  queryFn: () => call('getFees', {}),
})

export const limitsQuery = queryOptions({
  queryKey: ['getLimits'],
  queryFn: () => call('getLimits', {}),
  refetchInterval: 2_000,
})

export const eventQuery = (id: string) =>
  queryOptions({ queryKey: ['getEvent', id], queryFn: () => call('getEvent', { params: { id } }) })

export const marketQuery = (query: { readonly q?: string; readonly page: number }) =>
  queryOptions({
    queryKey: ['searchLiveMarket', query],
    queryFn: () => call('searchLiveMarket', { query: { ...query, limit: 50 } }),
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  })
