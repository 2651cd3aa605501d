// The filter in the address of a socket: what `scope=filter` sends.
import { ListingFilter, MarketLiveQuery } from '@tradepost/contract'
import type { CatalogueView } from '#catalog'
import { Refusal } from '#kernel/refusal'
import { type CheckedFilter, checkListingFilter } from '../shared/market/listing-filter.ts'
import { createShapeCompiler } from '../shared/shape.ts'

export interface SocketFilter extends CheckedFilter {
  /** The same for equal filters. */
  readonly key: string
}

/** Null for a filter that the route of listings would refuse. */
export type ReadFilter = (query: URLSearchParams) => SocketFilter | null

/** A name that the socket does not know is meant for the filter, and makes it one that is refused. */
const isOfFilter = (name: string): boolean =>
  Object.hasOwn(ListingFilter.properties, name) || !Object.hasOwn(MarketLiveQuery.properties, name)

export function createReadFilter(view: Pick<CatalogueView, 'knows' | 'knowsMarket'>): ReadFilter {
  const check = createShapeCompiler({}).compile({
    id: 'marketLive',
    method: 'GET',
    path: '/market/live',
    query: ListingFilter,
    response: ListingFilter,
  })
  return (search) => {
    const query: Record<string, unknown> = Object.create(null)
    for (const name of new Set(search.keys())) {
      if (!isOfFilter(name)) continue
      const values = search.getAll(name)
      query[name] = values.length === 1 ? values[0] : values
    }
    const url = `?${search}`
    if (check({ params: {}, query, headers: {}, url, body: undefined }) !== null) return null
    try {
      const checked = checkListingFilter(view, query as ListingFilter)
      return { ...checked, key: JSON.stringify(query) }
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
}
