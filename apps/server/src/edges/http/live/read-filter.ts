// The filter in the address of a socket: what `scope=filter` sends.
import { ListingFilter, type LiveScope, MarketLiveQuery } from '@tradepost/contract'
import type { CatalogueView } from '#catalog'
import { Refusal } from '#kernel/refusal'
import { type Failure, failureOf } from '../shared/failure.ts'
import { type CheckedFilter, checkListingFilter } from '../shared/market/listing-filter.ts'
import { createShapeCompiler } from '../shared/shape.ts'

export interface SocketFilter extends CheckedFilter {
  /** The same for equal filters. */
  readonly key: string
}

/** What is wrong with a filter, in the words in which the route of listings would refuse it. */
interface BadFilter {
  readonly problem: string
}

/** Null without `scope=filter`. */
export type ReadFilter = (
  query: URLSearchParams,
  scope: LiveScope,
) => SocketFilter | BadFilter | null

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
  return (search, scope) => {
    // Beside another scope a filter is a name like any other that the socket does not know.
    if (scope !== 'filter') return null
    const query: Record<string, unknown> = Object.create(null)
    for (const name of new Set(search.keys())) {
      if (!isOfFilter(name)) continue
      const values = search.getAll(name)
      query[name] = values.length === 1 ? values[0] : values
    }
    const url = `?${search}`
    const failure = check({ params: {}, query, headers: {}, url, body: undefined })
    if (failure !== null) return { problem: problemOf(failure) }
    try {
      const checked = checkListingFilter(view, query as ListingFilter)
      return { ...checked, key: JSON.stringify(query) }
    } catch (error) {
      if (error instanceof Refusal) return { problem: problemOf(failureOf(error)) }
      throw error
    }
  }
}

const problemOf = ({ key, message }: Failure): string => message ?? key
