import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

interface Asked {
  readonly month?: string
}

/** Of the search parameters of the page; the running month of UTC without one. */
export const monthOf = ({ month }: Asked): string => month ?? new Date().toISOString().slice(0, 7)

/** Of the account itself, or of one of its sub-users or children. */
export const statementQuery = ({ month }: Asked, subUserId?: string) =>
  queryOptions({
    queryKey: ['readStatement', month, subUserId],
    queryFn: () =>
      call('readStatement', {
        query: {
          ...(month !== undefined && { month }),
          ...(subUserId !== undefined && { subUserId }),
        },
      }),
    // A closed month changes no more.
    staleTime: ({ state }) => (state.data?.closed ? Number.POSITIVE_INFINITY : 0),
  })
