// The figures of the last finished hours or days, beside those of the period before.
import type { Queryable } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import { type Quantiles, quantilesOf } from './histogram.ts'
import { type FigureName, MS, startOf, type Unit } from './rows.ts'
import { type BucketRow, type FigureRow, readBuckets, readMark, readTotals } from './store.ts'

const SPANS = {
  day: ['hour', 24],
  week: ['day', 7],
  month: ['day', 30],
  quarter: ['day', 90],
} as const
export type SpanName = keyof typeof SPANS

export interface PeriodFigures {
  /** US cents of completed trades. */
  readonly volume: Cents
  /** US cents: the service fee of these, and penalties. */
  readonly income: Cents
  readonly begun: number
  /** Trades by the state in which they ended. */
  readonly ended: ReadonlyMap<string, number>
  /** Bought items by market: how many ended, and how many of these completed. */
  readonly markets: ReadonlyMap<string, { readonly ended: number; readonly completed: number }>
  readonly offer: Quantiles
  readonly delivery: Quantiles
  /** Items by cause, the most frequent first. */
  readonly refunds: readonly {
    readonly cause: string
    readonly count: number
    readonly usd: Cents
  }[]
  readonly attempts: { readonly succeeded: number; readonly failed: number }
  readonly deposits: Sum
  readonly payouts: Sum
}

interface Sum {
  readonly count: number
  readonly usd: Cents
}

export interface ServiceBucket {
  readonly at: Date
  readonly volume: Cents
  readonly income: Cents
  readonly begun: number
  readonly completed: number
  /** Ended otherwise. */
  readonly otherwise: number
}

export interface Figures {
  /** False during the first catch-up: not all is added yet. */
  readonly isReady: boolean
  readonly unit: Unit
  readonly from: Date
  readonly to: Date
  readonly current: PeriodFigures
  readonly previous: PeriodFigures
}

/** Of a partner with its children. */
export async function readPartnerFigures(
  db: Queryable,
  {
    partnerId,
    ...asked
  }: { readonly partnerId: string; readonly span: SpanName; readonly at: Date },
): Promise<Figures> {
  const span = await spanOf(db, asked)
  return figuresOf(span, await readTotals(db, span, partnerId))
}

/** Of all accounts together. */
export async function readServiceFigures(
  db: Queryable,
  asked: { readonly span: SpanName; readonly at: Date },
): Promise<Figures & { readonly buckets: readonly ServiceBucket[] }> {
  const span = await spanOf(db, asked)
  const [totals, rows] = await Promise.all([readTotals(db, span, null), readBuckets(db, span)])
  return { ...figuresOf(span, totals), buckets: bucketsOf(span, rows) }
}

type Span = Parameters<typeof readTotals>[1] & Pick<Figures, 'isReady'>

/** Whole units that are over and folded: a period is compared with one of the same length. */
async function spanOf(
  db: Queryable,
  { span, at }: { readonly span: SpanName; readonly at: Date },
): Promise<Span> {
  const [unit, length] = SPANS[span]
  const { hoursUntil = null, foldedAt = null } = (await readMark(db)) ?? {}
  const times = [at, hoursUntil ?? at, foldedAt ?? at].map((time) => time.getTime())
  const to = startOf(unit, new Date(Math.min(...times)))
  const back = (periods: number): Date => new Date(to.getTime() - periods * length * MS[unit])
  return { isReady: foldedAt !== null, unit, before: back(2), from: back(1), to }
}

const figuresOf = (span: Span, rows: readonly FigureRow[]): Figures => ({
  ...{ isReady: span.isReady, unit: span.unit, from: span.from, to: span.to },
  current: periodOf(rows.filter(({ isBefore }) => !isBefore)),
  previous: periodOf(rows.filter(({ isBefore }) => isBefore)),
})

function periodOf(rows: readonly FigureRow[]): PeriodFigures {
  const of = (figure: FigureName) => rows.filter((row) => row.figure === figure)
  const sum = (figure: FigureName): Sum => ({
    count: Number(of(figure).reduce((total, { count }) => total + count, 0n)),
    usd: cents(of(figure).reduce((total, { usdCents }) => total + usdCents, 0n)),
  })
  const histogram = (figure: FigureName): Quantiles =>
    quantilesOf(new Map(of(figure).map(({ label, count }) => [Number(label), Number(count)])))
  const attempts = new Map(of('attempts').map(({ label, count }) => [label, Number(count)]))
  return {
    volume: sum('volume').usd,
    income: cents(sum('fees').usd + sum('penalties').usd),
    begun: sum('begun').count,
    ended: new Map(of('ended').map(({ label, count }) => [label, Number(count)])),
    markets: marketsOf(of('items')),
    offer: histogram('offer'),
    delivery: histogram('delivery'),
    refunds: of('refunds')
      .map(({ label, count, usdCents }) => ({
        ...{ cause: label, count: Number(count), usd: cents(usdCents) },
      }))
      .sort((a, b) => b.count - a.count || a.cause.localeCompare(b.cause)),
    attempts: { succeeded: attempts.get('succeeded') ?? 0, failed: attempts.get('failed') ?? 0 },
    deposits: sum('deposits'),
    payouts: sum('payouts'),
  }
}

function marketsOf(rows: readonly FigureRow[]): PeriodFigures['markets'] {
  const markets = new Map<string, { ended: number; completed: number }>()
  for (const { label, count } of rows) {
    const [market = '', status] = label.split(' ')
    const { ended, completed } = markets.get(market) ?? { ended: 0, completed: 0 }
    markets.set(market, {
      ended: ended + Number(count),
      completed: completed + (status === 'completed' ? Number(count) : 0),
    })
  }
  return markets
}

/** One for each unit, also where nothing happened. */
function bucketsOf({ unit, from, to }: Span, rows: readonly BucketRow[]): ServiceBucket[] {
  const length = (to.getTime() - from.getTime()) / MS[unit]
  return Array.from({ length }, (_, i) => {
    const at = new Date(from.getTime() + i * MS[unit])
    const own = rows.filter((row) => row.at.getTime() === at.getTime())
    const usd = (...figures: BucketRow['figure'][]): Cents =>
      cents(
        own.reduce(
          (sum, { figure, usdCents }) => (figures.includes(figure) ? sum + usdCents : sum),
          0n,
        ),
      )
    const counted = (is: (row: BucketRow) => boolean): number =>
      Number(own.filter(is).reduce((sum, { count }) => sum + count, 0n))
    return {
      at,
      volume: usd('volume'),
      income: usd('fees', 'penalties'),
      begun: counted(({ figure }) => figure === 'begun'),
      completed: counted(({ figure, label }) => figure === 'ended' && label === 'completed'),
      otherwise: counted(({ figure, label }) => figure === 'ended' && label !== 'completed'),
    }
  })
}
