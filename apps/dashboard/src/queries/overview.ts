// Figures of a merchant or partner over a time.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

const DAYS = { day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const
export type Span = keyof typeof DAYS
export const SPANS = Object.keys(DAYS) as readonly Span[]
const WHEN_NOT_CHOSEN: Span = 'month'

/** A time that ends now, or a range: from `from` to `to`, both in it, ISO 8601; without `to`, until now. */
export type Period =
  | { readonly span: Span }
  | { readonly span: null; readonly from: string; readonly to: string | undefined }

interface PeriodSearch {
  readonly span?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Of the page's address. */
export const periodOf = ({ span, from, to }: PeriodSearch): Period =>
  from
    ? { span: null, from, to: to || undefined }
    : { span: SPANS.find((each) => each === span) ?? WHEN_NOT_CHOSEN }

function queryOf(period: Period): { readonly from?: string; readonly to?: string } {
  if (period.span === null) {
    const { from, to } = period
    return { from, ...(to !== undefined && { to }) }
  }
  // The service's own default is the same thirty days.
  if (period.span === WHEN_NOT_CHOSEN) return {}
  return { from: new Date(Date.now() - DAYS[period.span] * 86_400_000).toISOString() }
}

const overviewOf =
  <Id extends 'getOverview' | 'getPartnerOverview'>(route: Id) =>
  (period: Period) =>
    queryOptions({
      queryKey: [route, period],
      queryFn: () => call(route, { query: queryOf(period) } as never),
      refetchInterval: 30_000,
      placeholderData: keepPreviousData,
    })

export const overviewQuery = overviewOf('getOverview')
export const partnerOverviewQuery = overviewOf('getPartnerOverview')
