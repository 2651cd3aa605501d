// What a merchant's pages read that is no list.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { pageNumberOf } from '../kit/page-number.ts'
import { withoutFeed } from '../live/follow.ts'

const UNDER_WAY = new Set(['initiated', 'pending', 'active', 'hold'])

export const tradeQuery = (tradeId: string) =>
  queryOptions({
    queryKey: ['getTradePage', tradeId],
    queryFn: () => call('getTradePage', { params: { tradeId } }),
    // A trade that has ended changes no more.
    refetchInterval: ({ state }) =>
      UNDER_WAY.has(state.data?.trade.status ?? '') ? withoutFeed(3_000)() : false,
  })

export const walletsQuery = queryOptions({
  queryKey: ['listWallets'],
  queryFn: () => call('listWallets', {}),
  refetchInterval: withoutFeed(10_000),
})

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['getUser', id],
    queryFn: () => call('getUser', { params: { id } }),
    refetchInterval: withoutFeed(10_000),
  })

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

/** Filters and order of the market's page, as the interface takes them. */
export interface MarketSearch {
  readonly page: number
  readonly [filter: string]: string | number
}

const MARKET_PARAMETERS = [
  ...['q', 'sort', 'itemType', 'exterior', 'rarity', 'phase', 'minPrice', 'maxPrice'],
  ...['market', 'delivery', 'inStock'],
]

/** What an address says of the market. */
export const marketSearchOf = (search: Readonly<Record<string, string>>): MarketSearch => ({
  ...Object.fromEntries(
    MARKET_PARAMETERS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])),
  ),
  page: pageNumberOf(search.page),
})

export const marketQuery = (query: MarketSearch) =>
  queryOptions({
    queryKey: ['searchLiveMarket', query],
    queryFn: () => call('searchLiveMarket', { query: { ...query, limit: 50 } }),
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  })

export const marketItemQuery = (itemId: string) =>
  queryOptions({
    queryKey: ['getLiveItem', itemId],
    queryFn: () => call('getLiveItem', { params: { itemId } }),
    refetchInterval: 5_000,
  })

/** Of a day that is over nothing changes. */
export const priceHistoryQuery = (itemId: string) =>
  queryOptions({
    queryKey: ['getLiveItemHistory', itemId],
    queryFn: () => call('getLiveItemHistory', { params: { itemId } }),
    staleTime: 600_000,
  })

export const marketOrderQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['getMarketOrder', orderId],
    queryFn: () => call('getMarketOrder', { params: { orderId } }),
    refetchInterval: withoutFeed(5_000),
  })

/** Without a currency: in the merchant’s own. */
export const itemDepthQuery = (itemId: string, currency?: 'USD' | 'EUR') =>
  queryOptions({
    queryKey: ['getItemDepth', itemId, currency],
    queryFn: () =>
      call('getItemDepth', {
        params: { itemId },
        query: currency === undefined ? {} : { currency },
      }),
    refetchInterval: 5_000,
  })

export const itemListingsQuery = (
  itemId: string,
  query: Readonly<Record<string, string | number>>,
) =>
  queryOptions({
    queryKey: ['listLiveListings', itemId, query],
    queryFn: () => call('listLiveListings', { params: { itemId }, query: { ...query, limit: 50 } }),
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  })
