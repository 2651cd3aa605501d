import { useQuery } from '@tanstack/react-query'
import type { PartnerStats } from '@tradepost/contract'
import { Figures } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { partnerOverviewQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/en.ts'

const words = texts.partner.overview

/** Of all children, or of one: what is final, and what is under way. */
export const figuresOf = (stats: PartnerStats) =>
  [
    [words.orders, stats.orderAmount, words.underWay(stats.pendingOrderAmount)],
    [
      words.volume,
      <Money key="volume" amount={stats.volume} currency="USD" />,
      pending(stats.pendingVolume),
    ],
    [
      words.revenue,
      <Money key="revenue" amount={stats.partnerRevenue} currency="USD" />,
      pending(stats.pendingPartnerRevenue),
    ],
  ] as const

const pending = (amount: number): string => `${formatMoney(amount, 'USD')} ${words.pending}`

export function PartnerOverviewPage() {
  const { data, error } = useQuery(partnerOverviewQuery)
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting />}
      {data && (
        <Figures
          figures={[
            [words.balance, <Money key="balance" amount={data.balance} currency="USD" />],
            ...figuresOf(data.stats),
          ]}
        />
      )}
    </Page>
  )
}
