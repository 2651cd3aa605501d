import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { Overview } from '@tradepost/contract'
import { TimeChart } from '../../kit/chart/time-chart.tsx'
import { Figures } from '../../kit/detail.tsx'
import { formatMoney, formatShortMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { overviewQuery, SPANS, type Span, spanOf } from '../../queries/merchant.ts'
import { texts } from '../../texts/en.ts'
import { TRADE_TONES } from '../tones.ts'
import css from './overview.module.css'

const words = texts.merchant.overview
const trades = texts.merchant.trades

export function OverviewPage() {
  const { span: asked } = useSearch({ from: '/shell/overview' })
  const span = spanOf(asked)
  const { data, error } = useQuery(overviewQuery(span))
  return (
    <Page title={words.title} act={<Spans current={span} />} isWide>
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting rows={12} />}
      {data && <Figured {...data} />}
    </Page>
  )
}

const Spans = ({ current }: { readonly current: Span }) => (
  <nav className={css.spans} aria-label={words.span}>
    {SPANS.map((span) => (
      <Link
        key={span}
        to="/overview"
        search={{ span }}
        aria-current={span === current ? 'true' : undefined}
        activeProps={{ 'aria-current': undefined }}
      >
        {words.spans[span]}
      </Link>
    ))}
  </nav>
)

const HOUR = new Intl.DateTimeFormat(undefined, {
  ...{ hour: '2-digit', minute: '2-digit', timeZone: 'UTC' },
})
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

function Figured({ totals, byStatus, unit, buckets, webhook }: Overview) {
  const currency = totals.currency ?? 'USD'
  const money = (amount: number): string => formatMoney(amount, currency)
  const form = (at: string): string => (unit === 'hour' ? HOUR : DAY).format(new Date(at))
  const completed = byStatus.completed ?? 0
  const times = buckets.map(({ at }) => at)
  return (
    <>
      <Figures
        figures={[
          [words.volume, money(totals.gmv)],
          [words.fees, money(totals.feesEarned)],
          [
            words.trades,
            totals.tradeCount.toLocaleString(),
            words.completed(completed.toLocaleString()),
          ],
          [
            words.spot,
            money(totals.spotBalance),
            <Link key="w" to="/wallets/{-$tab}">
              {texts.merchant.wallets.title}
            </Link>,
          ],
          [words.earnings, money(totals.earningsBalance)],
        ]}
      />
      {totals.tradeCount === 0 && (
        <p>
          {words.start} <a href="/docs">{words.quickstart}</a>
        </p>
      )}
      <div className={css.charts}>
        <TimeChart
          title={words.volumeChart}
          summary={words.sum(money(totals.gmv))}
          buckets={times}
          form={form}
          series={[{ label: words.volume, values: buckets.map(({ volume }) => volume) }]}
          value={(amount) => formatShortMoney(amount, currency)}
        />
        <TimeChart
          title={words.tradesChart}
          summary={words.sum(totals.tradeCount.toLocaleString())}
          buckets={times}
          form={form}
          series={[
            { label: words.completedTrades, values: buckets.map((bucket) => bucket.completed) },
            {
              label: words.otherTrades,
              values: buckets.map((bucket) => bucket.trades - bucket.completed),
            },
          ]}
          value={(count) => count.toLocaleString()}
        />
        <TimeChart
          title={words.feesChart}
          summary={words.sum(money(totals.feesEarned))}
          buckets={times}
          form={form}
          series={[{ label: words.fees, values: buckets.map(({ feesEarned }) => feesEarned) }]}
          value={(amount) => formatShortMoney(amount, currency)}
        />
        <div className={css.side}>
          <Section title={words.byStatus}>
            <ul className={css.states}>
              {Object.entries(byStatus).map(([status, count]) => (
                <li key={status}>
                  <Link to="/trades" search={{ status }}>
                    <Badge tone={TRADE_TONES[status as keyof typeof TRADE_TONES]}>
                      {trades.statuses[status as keyof typeof trades.statuses]}
                    </Badge>
                  </Link>
                  <span>{(count ?? 0).toLocaleString()}</span>
                </li>
              ))}
            </ul>
          </Section>
          <Section title={words.webhook}>
            <WebhookHealth {...webhook} />
          </Section>
        </div>
      </div>
      <p className={css.note}>{words.utc}</p>
    </>
  )
}

function WebhookHealth({ status, failingSince }: Overview['webhook']) {
  if (status === null) {
    return (
      <p>
        {words.webhookNone} <Link to="/webhook">{words.webhookSet}</Link>
      </p>
    )
  }
  if (status === 'disabled') return <Badge tone="bad">{words.webhookOff}</Badge>
  if (failingSince === null) return <Badge tone="good">{words.webhookGood}</Badge>
  return (
    <p>
      <Badge tone="warn">{words.webhookFailing}</Badge> <Time at={failingSince} />
    </p>
  )
}
