// What a partner's pages read that is no list.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { withoutFeed } from '../live/follow.ts'
import type { FigureSpan } from './figures.ts'

export const childQuery = (id: string) =>
  queryOptions({
    queryKey: ['getChild', id],
    queryFn: () => call('getChild', { params: { id } }),
    refetchInterval: withoutFeed(10_000),
  })

/** The newest whose e-mail address begins so; the newest of all when nothing was typed. */
export const childrenLikeQuery = (typed: string) =>
  queryOptions({
    queryKey: ['listChildren', 'like', typed],
    queryFn: () =>
      call('listChildren', { query: { limit: 20, ...(typed !== '' && { q: typed }) } }),
    placeholderData: keepPreviousData,
  })

/** Whether there was one. */
export const anyTransferQuery = queryOptions({
  queryKey: ['listTransfers', 'any'],
  queryFn: () => call('listTransfers', { query: { limit: 1 } }),
})

export const partnerFiguresQuery = (span: FigureSpan) =>
  queryOptions({
    queryKey: ['getPartnerFigures', span],
    queryFn: () => call('getPartnerFigures', { query: { span } }),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

export const marketHealthQuery = queryOptions({
  queryKey: ['getPartnerMarketHealth'],
  queryFn: () => call('getPartnerMarketHealth', {}),
  refetchInterval: 5_000,
})

export const partnerFeesQuery = queryOptions({
  queryKey: ['getPartnerFees'],
  queryFn: () => call('getPartnerFees', {}),
})
