// How trades went over a time, beside the time before: what administrators and partners see alike.
import type { TradeFailureCode, TradingFigures } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import type { ReactNode } from 'react'
import { formatMoney } from '../../kit/money.tsx'
import { Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { figures as words } from '../../texts/figures.ts'
import { formatCount, formatPercent, texts } from '../../texts/texts.ts'
import css from './overview.module.css'

export interface PeriodsProps<Of> {
  /** Undefined while they are being loaded. */
  readonly current: Of | undefined
  readonly previous: Of | undefined
}

/** Up to when what is shown is counted; `figures` is undefined while they are being loaded. */
export const UpTo = ({
  figures,
}: {
  readonly figures: { readonly isReady: boolean; readonly to: string } | undefined
}) => (
  <p>
    {figures?.isReady === false ? (
      words.notReady
    ) : (
      <>
        {words.upTo} {figures ? <Time at={figures.to} /> : <Bone />}
        {words.notYet}
      </>
    )}
  </p>
)

export const TradingTables = ({ current, previous }: PeriodsProps<TradingFigures>) => (
  <div className={css.pair}>
    <Section title={words.times}>
      <Table
        caption={words.times}
        empty=""
        rows={current && (['offer', 'delivery'] as const)}
        expected={2}
        keyOf={(row) => row}
        columns={[
          { head: words.until, cell: (row) => words.untils[row] },
          { head: words.half, align: 'end', cell: (row) => timeOf(current?.[row].p50Seconds) },
          { head: words.most, align: 'end', cell: (row) => timeOf(current?.[row].p95Seconds) },
          {
            head: words.before,
            align: 'end',
            cell: (row) =>
              previous &&
              `${timeOf(previous[row].p50Seconds)} / ${timeOf(previous[row].p95Seconds)}`,
          },
        ]}
      />
    </Section>
    <Section title={words.markets}>
      <Table
        caption={words.markets}
        empty={words.nothing}
        rows={current?.markets}
        expected={2}
        keyOf={({ id }) => id}
        columns={[
          { head: words.market, cell: ({ id }) => marketName(id) },
          { head: words.items, align: 'end', cell: ({ ended }) => formatCount(ended) },
          { head: words.success, align: 'end', cell: shareCompleted },
          {
            head: words.before,
            align: 'end',
            cell: ({ id }) => {
              const same = previous?.markets.find((market) => market.id === id)
              return same ? shareCompleted(same) : words.none
            },
          },
        ]}
      />
    </Section>
    <Section title={words.refunds}>
      <Table
        caption={words.refunds}
        empty={words.noRefunds}
        rows={current?.refunds}
        expected={3}
        keyOf={({ cause }) => cause}
        columns={[
          { head: words.cause, cell: ({ cause }) => causeText(cause) },
          { head: words.items, align: 'end', cell: ({ count }) => formatCount(count) },
          {
            head: words.amount,
            align: 'end',
            cell: ({ amount }) => formatMoney(amount, 'USD'),
          },
          {
            head: words.before,
            align: 'end',
            cell: ({ cause }) =>
              formatCount(previous?.refunds.find((one) => one.cause === cause)?.count ?? 0),
          },
        ]}
      />
    </Section>
    <Section title={words.payments}>
      <Table
        caption={words.payments}
        empty=""
        rows={current && (['deposits', 'payouts', 'webhooks'] as const)}
        keyOf={(row) => row}
        columns={[
          { head: words.what, cell: (row) => words.kinds[row] },
          {
            head: words.count,
            align: 'end',
            cell: (row) => current && countOf(row, current),
          },
          { head: words.result, align: 'end', cell: (row) => current && resultOf(row, current) },
          { head: words.before, align: 'end', cell: (row) => previous && resultOf(row, previous) },
        ]}
      />
    </Section>
  </div>
)

type Kind = 'deposits' | 'payouts' | 'webhooks'

const countOf = (row: Kind, { webhooks, ...payments }: TradingFigures): string =>
  formatCount(row === 'webhooks' ? webhooks.succeeded + webhooks.failed : payments[row].count)

const resultOf = (row: Kind, { webhooks, ...payments }: TradingFigures): string =>
  row === 'webhooks'
    ? shareOf(webhooks.succeeded, webhooks.succeeded + webhooks.failed)
    : formatMoney(payments[row].amount, 'USD')

/** A share as a percentage, to a tenth; a dash of nothing. */
export const shareOf = (part: number, whole: number): string =>
  whole === 0 ? words.none : `${formatPercent(Math.round((part / whole) * 1000) * 10)}%`

const shareCompleted = ({ completed, ended }: TradingFigures['markets'][number]): string =>
  shareOf(completed, ended)

const MINUTE = 60
const HOUR = 3600

/** To two figures: a kept quantile is an eighth off. */
function timeOf(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return words.none
  if (seconds < 2 * MINUTE) return words.seconds(seconds)
  if (seconds < 2 * HOUR) return words.minutes(Math.round(seconds / MINUTE))
  return words.hours(Math.round(seconds / HOUR))
}

function causeText(cause: string): ReactNode {
  const { failures } = texts.merchant.trades
  const known = words.causes[cause] ?? failures[cause as TradeFailureCode]
  return known === undefined ? cause : <span title={cause}>{known}</span>
}
