// The first page of an administrator: what needs a person, how the service is now, how it did, beside the time
// before, and how the markets are served.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useSearch } from '@tanstack/react-router'
import type { AdminHealth, AdminWaiting, ServiceFigures } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { TimeChart, WaitingChart } from '../../kit/chart/time-chart.tsx'
import { Figures } from '../../kit/detail.tsx'
import { formatMoney, formatShortMoney } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Bone, Waiting } from '../../kit/waiting.tsx'
import { healthQuery, serviceFiguresQuery, waitingQuery } from '../../queries/admin.ts'
import { FIGURE_SPANS, type FigureSpan, figureSpanOf } from '../../queries/figures.ts'
import { serviceWalletsQuery } from '../../queries/money.ts'
import { figures as words } from '../../texts/figures.ts'
import { formatCount, texts } from '../../texts/texts.ts'
import { labelOf } from '../overview/dates.ts'
import css from '../overview/overview.module.css'
import { Spans } from '../overview/spans.tsx'
import { StateShares } from '../overview/state-shares.tsx'
import { shareOf, TradingTables, UpTo } from '../overview/trading-figures.tsx'
import { TRADE_TONES } from '../tones.ts'
import { Alarms, ServiceHealth, ServiceNow } from './health.tsx'
import { WalletBalances } from './money.tsx'

export function AdminOverviewPage() {
  const span = figureSpanOf(useSearch({ from: '/shell/admin/overview' }))
  const { data, error } = useQuery(serviceFiguresQuery(span))
  const { data: health, error: healthError } = useQuery(healthQuery)
  const isRefused = error !== null && healthError !== null
  return (
    <Page
      title={texts.overview.title}
      act={<Spans to="/admin/overview" spans={FIGURE_SPANS} names={words.spans} chosen={span} />}
    >
      {(error ?? healthError) && <Failure error={error ?? healthError} />}
      {health && <Alarms health={health} />}
      {/* An alarm stands above everything, so nothing is shown until it is known whether there is one. */}
      {health === undefined && healthError === null && <Waiting rows={8} />}
      {(health || healthError) && !isRefused && (
        <>
          <WaitingForPersons />
          {health && <ServiceNow health={health} />}
          {(data || !error) && <Period figures={data} span={span} />}
          {health && <Suppliers accounts={health.supplierAccounts} />}
          <HotWallets />
          {health && <ServiceHealth health={health} />}
        </>
      )}
    </Page>
  )
}

const WAITING: readonly (readonly [keyof AdminWaiting, string, LinkProps['to']])[] = [
  ['cases', words.cases, '/admin/cases'],
  ['heldPayments', texts.nav.heldPayments, '/admin/held-payments'],
  ['withdrawals', texts.nav.waitingWithdrawals, '/admin/withdrawals'],
  ['adjustments', texts.nav.adjustments, '/admin/adjustments'],
]

function WaitingForPersons() {
  const { data, error } = useQuery(waitingQuery)
  if (error) return <Failure error={error} />
  return (
    <Section title={words.waiting}>
      <Figures
        figures={WAITING.map(([kind, label, to]) => [
          label,
          data ? (
            <Link key={kind} {...({ to } as LinkProps)}>
              {formatCount(data[kind])}
            </Link>
          ) : (
            <Bone key={kind} />
          ),
        ])}
      />
    </Section>
  )
}

const dollars = (amount: number): string => formatMoney(amount, 'USD')

interface PeriodProps {
  readonly figures: ServiceFigures | undefined
  readonly span: FigureSpan
}

function Period({ figures, span }: PeriodProps) {
  return (
    <>
      <UpTo figures={figures} />
      <Totals {...{ figures, span }} />
      <div className={css.charts}>
        {figures ? (
          <Charts figures={figures} />
        ) : (
          [words.volumeChart, words.endedChart, words.incomeChart].map((title) => (
            <WaitingChart key={title} title={title} />
          ))
        )}
        <div className={css.side}>
          <Section title={words.byState}>
            {figures ? (
              <StateShares
                states={texts.merchant.trades.statuses}
                tones={TRADE_TONES}
                counts={figures.current.ended}
                list="/admin/trades"
              />
            ) : (
              <Waiting rows={3} />
            )}
          </Section>
        </div>
      </div>
      <TradingTables current={figures?.current} previous={figures?.previous} />
    </>
  )
}

const endedOf = ({ ended }: ServiceFigures['current']): number =>
  Object.values(ended).reduce((sum, count) => sum + count, 0)

function Totals({ figures, span }: PeriodProps) {
  const before = texts.overview.before(words.spans[span])
  const shown = (of: (period: ServiceFigures['current']) => string) =>
    figures
      ? ([of(figures.current), `${before} ${of(figures.previous)}`] as const)
      : ([<Bone key="bone" />, <Bone key="note" />] as const)
  const [begun, begunBefore] = shown((period) => formatCount(period.begun))
  return (
    <Figures
      figures={[
        [words.volume, ...shown(({ volume }) => dollars(volume))],
        [words.income, ...shown(({ income }) => dollars(income))],
        [
          words.begun,
          <Link key="begun" to="/admin/trades">
            {begun}
          </Link>,
          begunBefore,
        ],
        [
          words.completedShare,
          ...shown((period) => shareOf(period.ended.completed, endedOf(period))),
        ],
      ]}
    />
  )
}

function Charts({ figures: { unit, current, buckets } }: { readonly figures: ServiceFigures }) {
  const bars = {
    buckets: buckets.map(({ at }) => at),
    unit: texts.overview.units[unit],
    form: (at: string): string => labelOf(at, unit),
  }
  const money = {
    value: dollars,
    mark: (amount: number, most: number): string => formatShortMoney(amount, 'USD', most),
    step: 0.01,
  }
  return (
    <>
      <TimeChart
        {...{ ...bars, ...money }}
        title={words.volumeChart}
        summary={texts.overview.sum(dollars(current.volume))}
        series={[{ label: words.volume, values: buckets.map(({ volume }) => volume) }]}
      />
      <TimeChart
        {...bars}
        title={words.endedChart}
        summary={texts.overview.sum(formatCount(endedOf(current)))}
        series={[
          { label: words.completedTrades, values: buckets.map(({ completed }) => completed) },
          { label: words.otherTrades, values: buckets.map(({ otherwise }) => otherwise) },
        ]}
        value={formatCount}
        step={1}
      />
      <TimeChart
        {...{ ...bars, ...money }}
        title={words.incomeChart}
        summary={texts.overview.sum(dollars(current.income))}
        series={[{ label: words.income, values: buckets.map(({ income }) => income) }]}
      />
    </>
  )
}

const Suppliers = ({ accounts }: { readonly accounts: AdminHealth['supplierAccounts'] }) => (
  <Section title={words.suppliers}>
    <Table
      caption={words.suppliers}
      empty={words.noSuppliers}
      rows={accounts}
      keyOf={({ market, account }) => `${market} ${account}`}
      columns={[
        { head: words.market, cell: ({ market }) => marketName(market) },
        { head: words.supplierAccount, cell: ({ account }) => <code>{account}</code> },
        {
          head: words.balance,
          align: 'end',
          cell: ({ balanceUsd }) => (balanceUsd === null ? words.none : dollars(balanceUsd)),
        },
        {
          head: words.ordered,
          align: 'end',
          cell: ({ waiting, waitingUsd }) => `${formatCount(waiting)} · ${dollars(waitingUsd)}`,
        },
        {
          head: words.cover,
          align: 'end',
          cell: ({ coverDays }) =>
            coverDays === null ? words.coverUnknown : words.days(Math.round(coverDays)),
        },
      ]}
    />
  </Section>
)

function HotWallets() {
  const { data: wallets } = useQuery(serviceWalletsQuery)
  return wallets && wallets.length > 0 && <WalletBalances wallets={wallets} />
}
