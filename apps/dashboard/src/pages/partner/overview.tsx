import { useQuery } from '@tanstack/react-query'
import { Figures } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { partnerOverviewQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/en.ts'

const words = texts.partner.overview

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
            [words.orders, data.stats.orderAmount, words.underWay(data.stats.pendingOrderAmount)],
            [
              words.volume,
              <Money key="volume" amount={data.stats.volume} currency="USD" />,
              pending(data.stats.pendingVolume),
            ],
            [
              words.revenue,
              <Money key="revenue" amount={data.stats.partnerRevenue} currency="USD" />,
              pending(data.stats.pendingPartnerRevenue),
            ],
          ]}
        />
      )}
    </Page>
  )
}
