// The first page of a merchant and of a partner: the same figures and charts, each from its own source.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useSearch } from '@tanstack/react-router'
import type { Overview } from '@tradepost/contract'
import { lazy, type ReactNode, Suspense, useDeferredValue } from 'react'
import { AsOf } from '../../kit/as-of.tsx'
import { TimeChart } from '../../kit/chart/time-chart.tsx'
import { Figures } from '../../kit/detail.tsx'
import { formatMoney, formatShortMoney } from '../../kit/money.tsx'
import { Badge, Failure, type Tone } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { Bone, Waiting } from '../../kit/waiting.tsx'
import {
  overviewQuery,
  type Period,
  partnerOverviewQuery,
  periodOf,
} from '../../queries/overview.ts'
import { formatCount, texts } from '../../texts/texts.ts'
import { ORDER_TONES, TRADE_TONES } from '../tones.ts'
import { labelOf } from './dates.ts'
import { FirstSteps, PartnerFirstSteps } from './first-steps.tsx'
import css from './overview.module.css'
import { PeriodChoice } from './period.tsx'
import { StateShares } from './state-shares.tsx'

const { overview: words } = texts

type Figured = Omit<Overview, 'byStatus' | 'firstSteps'> & {
  readonly firstSteps?: Overview['firstSteps']
  readonly byStatus: Readonly<Partial<Record<string, number>>>
}
type Figure = readonly [label: string, value: ReactNode, note?: ReactNode]

/** What the overview of one kind of account has of its own. */
interface Source {
  readonly to: '/overview' | '/partner'
  readonly useFigures: (period: Period) => {
    readonly data: Figured | undefined
    readonly error: Error | null
  }
  readonly words: (typeof words)['ofMerchant' | 'ofPartner']
  /** Of trades or orders, in the order in which they are listed. */
  readonly states: Readonly<Record<string, string>>
  readonly tones: Readonly<Record<string, Tone>>
  readonly completed: string
  readonly list: '/trades' | '/orders'
  readonly balances: (totals: Overview['totals'] | undefined) => readonly Figure[]
  /** Shown while nothing was traded, and no step of a merchant says how that begins. */
  readonly start: ReactNode
  readonly firstSteps: typeof FirstSteps
  /** Below the charts. */
  readonly more?: (period: Period) => ReactNode
}

/** It is not among the bytes of the first page. */
const PartnerFigures = lazy(async () => ({
  default: (await import('../partner/figures.tsx')).PartnerFigures,
}))

const MERCHANT: Source = {
  to: '/overview',
  useFigures: (period) => useQuery(overviewQuery(period)),
  words: words.ofMerchant,
  states: texts.merchant.trades.statuses,
  tones: TRADE_TONES,
  completed: 'completed',
  list: '/trades',
  balances: (totals) => [
    [
      words.spot,
      moneyOf(totals, 'spotBalance'),
      <Link key="wallets" to="/wallets/{-$tab}" params={{ tab: undefined }}>
        {texts.merchant.wallets.title}
      </Link>,
    ],
    [words.earnings, moneyOf(totals, 'earningsBalance'), words.earningsNote],
  ],
  start: (
    <>
      {words.ofMerchant.start} <a href="/docs/first-purchase">{words.quickstart}</a>
    </>
  ),
  firstSteps: FirstSteps,
}

const PARTNER: Source = {
  to: '/partner',
  useFigures: (period) => useQuery(partnerOverviewQuery(period)),
  words: words.ofPartner,
  states: texts.partner.orders.statuses,
  tones: ORDER_TONES,
  completed: 'COMPLETED',
  list: '/orders',
  balances: (totals) => [
    [
      words.balance,
      moneyOf(totals, 'spotBalance'),
      <Link key="ledger" to="/partner-ledger">
        {texts.partner.ledger.title}
      </Link>,
    ],
  ],
  start: (
    <>
      {words.ofPartner.start} <Link to="/children">{words.ofPartner.begin}</Link>
    </>
  ),
  firstSteps: PartnerFirstSteps,
  more: ({ span }) => (
    <Suspense>
      <PartnerFigures span={span} />
    </Suspense>
  ),
}

export function OverviewPage(): ReactNode {
  return <Sight source={MERCHANT} period={periodOf(useSearch({ from: '/shell/overview' }))} />
}

export function PartnerOverviewPage(): ReactNode {
  return <Sight source={PARTNER} period={periodOf(useSearch({ from: '/shell/partner' }))} />
}

function Sight({ source, period }: { readonly source: Source; readonly period: Period }) {
  const { data, error } = source.useFigures(period)
  // The totals are shown first; what stands below them is drawn after their frame.
  const drawn = useDeferredValue(data, undefined)
  return (
    <Page title={words.title} act={<PeriodChoice to={source.to} period={period} />}>
      {error && <Failure error={error} />}
      {(data || !error) && (
        <>
          <Totals source={source} data={data} span={period.span} />
          {drawn ? <BelowTotals {...{ source, period }} data={drawn} /> : <Waiting rows={8} />}
        </>
      )}
    </Page>
  )
}

type Amount = 'gmv' | 'feesEarned' | 'spotBalance' | 'earningsBalance'

const moneyOf = (totals: Overview['totals'] | undefined, name: Amount): ReactNode =>
  totals ? formatMoney(totals[name], totals.currency ?? 'USD') : <Bone />

interface PartProps {
  readonly source: Source
  readonly data: Figured
}

function Totals({
  source,
  data,
  span,
}: Pick<PartProps, 'source'> & {
  readonly data: Figured | undefined
  readonly span: Period['span']
}) {
  const totals = data?.totals
  const before = data?.previous
  const currency = totals?.currency ?? 'USD'
  const label = words.before(span === null ? null : words.spans[span])
  const noteOf = (value: string | undefined): ReactNode => (
    <span key="note">
      {label} <span className={css.before}>{value ?? <Bone />}</span>
    </span>
  )
  return (
    <Figures
      figures={[
        [
          words.volume,
          moneyOf(totals, 'gmv'),
          noteOf(before && formatMoney(before.volume, currency)),
        ],
        [
          source.words.fees,
          moneyOf(totals, 'feesEarned'),
          noteOf(before && formatMoney(before.feesEarned, currency)),
        ],
        [
          source.words.trades,
          totals ? formatCount(totals.tradeCount) : <Bone key="bone" />,
          noteOf(before && formatCount(before.trades)),
        ],
        [
          words.completedOf,
          data ? formatCount(data.byStatus[source.completed] ?? 0) : <Bone key="bone" />,
          noteOf(before && formatCount(before.completed)),
        ],
        ...source.balances(totals),
      ]}
    />
  )
}

/** Then a sentence says so, and there are no charts of nothing. */
const isEmpty = ({ totals: { tradeCount, gmv, feesEarned } }: Figured): boolean =>
  tradeCount === 0 && gmv === 0 && feesEarned === 0

/** The first steps are there for a new account alone: until that is known, nothing has a place here. */
const BelowTotals = ({ source, data, period }: PartProps & { readonly period: Period }) => (
  <>
    <AsOf at={data.asOf} />
    {data.totals.tradeCount === 0 && !data.firstSteps && <p>{source.start}</p>}
    <source.firstSteps data={data} />
    <div className={css.charts}>
      {!isEmpty(data) && <Charts source={source} data={data} />}
      <div className={css.side}>
        {!isEmpty(data) && (
          <Section title={source.words.byStatus}>
            <StateShares {...source} counts={data.byStatus} />
          </Section>
        )}
        <Section title={words.webhook}>
          <WebhookHealth {...data.webhook} />
        </Section>
      </div>
    </div>
    {source.more?.(period)}
  </>
)

function Charts({ source, data: { totals, unit, buckets } }: PartProps) {
  const currency = totals.currency ?? 'USD'
  const exact = (amount: number): string => formatMoney(amount, currency)
  const money = {
    value: exact,
    mark: (amount: number, most: number): string => formatShortMoney(amount, currency, most),
    step: 0.01,
  }
  const bars = {
    buckets: buckets.map(({ at }) => at),
    unit: words.units[unit],
    form: (at: string): string => labelOf(at, unit),
  }
  return (
    <>
      <TimeChart
        {...{ ...bars, ...money }}
        title={source.words.volumeChart}
        summary={words.sum(exact(totals.gmv))}
        series={[{ label: words.volume, values: buckets.map(({ volume }) => volume) }]}
      />
      <TimeChart
        {...bars}
        title={source.words.tradesChart}
        summary={words.sum(formatCount(totals.tradeCount))}
        series={[
          { label: words.completedTrades, values: buckets.map(({ completed }) => completed) },
          {
            label: words.tradesInProgress,
            values: buckets.map(({ inProgress }) => inProgress),
          },
          {
            label: words.otherTrades,
            values: buckets.map(
              ({ trades, completed, inProgress }) => trades - completed - inProgress,
            ),
          },
        ]}
        value={formatCount}
        step={1}
      />
      <TimeChart
        {...{ ...bars, ...money }}
        title={source.words.fees}
        summary={words.sum(exact(totals.feesEarned))}
        series={[{ label: source.words.fees, values: buckets.map(({ feesEarned }) => feesEarned) }]}
      />
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
      <Badge tone="warn">{words.webhookFailing}</Badge> <Time at={failingSince} />{' '}
      <Link
        {...({
          to: '/webhook/deliveries',
          search: { status: 'retrying,exhausted,skipped' },
        } as LinkProps)}
      >
        {texts.webhook.failedDeliveries}
      </Link>
    </p>
  )
}
