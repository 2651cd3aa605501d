// Figures of a merchant or partner over a time.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const
export type Span = keyof typeof DAYS
export const SPANS = Object.keys(DAYS) as readonly Span[]
const WHEN_NOT_CHOSEN: Span = 'month'

export const spanOf = (text: string | undefined): Span =>
  SPANS.find((span) => span === text) ?? WHEN_NOT_CHOSEN

const overviewOf =
  <Id extends 'getOverview' | 'getPartnerOverview'>(route: Id) =>
  (span: Span) =>
    queryOptions({
      queryKey: [route, span],
      queryFn: () => {
        // The service's own default is the same thirty days.
        if (span === WHEN_NOT_CHOSEN) return call(route, {} as never)
        const from = new Date(Date.now() - DAYS[span] * 86_400_000).toISOString()
        return call(route, { query: { from } } as never)
      },
      refetchInterval: 30_000,
      placeholderData: keepPreviousData,
    })

export const overviewQuery = overviewOf('getOverview')
export const partnerOverviewQuery = overviewOf('getPartnerOverview')
