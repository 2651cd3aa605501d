// Below a partner's overview: how its orders went beside the time before, and how the markets are served.
import { useQuery } from '@tanstack/react-query'
import { marketName } from '@tradepost/contract/market-names'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { FIGURE_SPANS } from '../../queries/figures.ts'
import { marketHealthQuery, partnerFiguresQuery } from '../../queries/partner.ts'
import { admin } from '../../texts/admin.ts'
import { figures as words } from '../../texts/figures.ts'
import { texts } from '../../texts/texts.ts'
import css from '../overview/overview.module.css'
import { TradingTables, UpTo } from '../overview/trading-figures.tsx'
import { HEALTH_TONES } from '../tones.ts'

/** `span`: as the page above; of a time that figures are not kept for, a sentence says so. */
export function PartnerFigures({ span }: { readonly span: string | null }) {
  const kept = FIGURE_SPANS.find((each) => each === span)
  return (
    <>
      {kept ? <OfSpan span={kept} /> : <p className={css.note}>{words.noTables}</p>}
      <Markets />
    </>
  )
}

function OfSpan({ span }: { readonly span: (typeof FIGURE_SPANS)[number] }) {
  const { data, error } = useQuery(partnerFiguresQuery(span))
  if (error) return <Failure error={error} />
  return (
    <>
      <UpTo figures={data} />
      <TradingTables current={data?.current} previous={data?.previous} />
    </>
  )
}

/** Without the workers and balances of the service, which a program may read for itself. */
function Markets() {
  const { data: health, error } = useQuery(marketHealthQuery)
  const words = texts.partner.health
  if (error) return <Failure error={error} />
  return (
    <Section title={words.title}>
      <Table
        caption={words.title}
        empty=""
        rows={health && (['market_a', 'market_b'] as const)}
        expected={2}
        keyOf={(market) => market}
        columns={[
          { head: admin.market, cell: marketName },
          {
            head: admin.status,
            cell: (market) => {
              const status = health?.markets[market].status
              return status && <Badge tone={HEALTH_TONES[status]}>{admin.healths[status]}</Badge>
            },
          },
          {
            head: admin.service,
            cell: (market) => (health?.service[market] ? admin.yes : admin.no),
          },
        ]}
      />
    </Section>
  )
}
