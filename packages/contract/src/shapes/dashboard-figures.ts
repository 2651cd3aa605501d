// Figures of finished hours and days that the overviews of administrators and partners show.
import { type Static, Type } from 'typebox'
import { DateTime, MoneyNumber } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

const count = Type.Integer({ minimum: 0 })

export const FIGURE_SPANS = ['day', 'week', 'month', 'quarter'] as const
export const FiguresQuery = Type.Object(
  {
    span: Type.Optional(
      describe(
        stringEnum(FIGURE_SPANS),
        'day: the last 24 finished hours; week, month, quarter: the last 7, 30, 90 finished days of UTC. week when absent.',
      ),
    ),
  },
  { title: 'FiguresQuery' },
)
export type FiguresQuery = Static<typeof FiguresQuery>

const seconds = (share: string) =>
  describe(
    nullable(Type.Integer()),
    `${share} took at most this, seconds; at most an eighth off. Null: there were none.`,
  )
const Times = (what: string) =>
  Type.Object(
    { count, p50Seconds: seconds('Half'), p95Seconds: seconds('95%') },
    { description: what },
  )
const Payments = (what: string) =>
  Type.Object({ count, amount: describe(MoneyNumber, 'In USD.') }, { description: what })

const TRADING = {
  begun: describe(count, 'Trades that began.'),
  ended: Type.Object(
    { completed: count, reverted: count, declined: count, canceled: count, failed: count },
    { description: 'Trades by the state in which they ended, whenever they began.' },
  ),
  markets: Type.Array(Type.Object({ id: Type.String(), ended: count, completed: count }), {
    description: 'Bought items that ended, by market, and how many of these completed.',
  }),
  offer: Times('From a buy until all of its items were offered.'),
  delivery: Times('From a buy until all of its items were delivered.'),
  refunds: Type.Array(
    Type.Object({
      cause: describe(
        Type.String(),
        'The code with which the item failed, its state, or `reverted_by_supplier`, `reverted_by_user`.',
      ),
      count,
      amount: describe(MoneyNumber, 'In USD.'),
    }),
    { description: 'Items whose price was given back, the most frequent cause first.' },
  ),
  webhooks: Type.Object(
    { succeeded: count, failed: count },
    {
      description:
        'Attempts to deliver, without those that a person sent, and those from more than a day before the first figures.',
    },
  ),
  deposits: Payments('Payments that were credited.'),
  payouts: Payments('Withdrawals that were confirmed.'),
}
const Trading = Type.Object(TRADING)
export type TradingFigures = Static<typeof Trading>
const Service = Type.Object({
  volume: describe(MoneyNumber, 'Of completed trades, in USD.'),
  income: describe(MoneyNumber, 'Service fees of completed trades and penalties, in USD.'),
  ...TRADING,
})

const PERIOD = {
  isReady: describe(
    Type.Boolean(),
    'False while the first figures are made: not all that has happened is counted yet.',
  ),
  unit: stringEnum(['hour', 'day'], { description: 'Days are those of UTC.' }),
  from: DateTime,
  to: describe(DateTime, 'The end of the last hour or day that is finished and counted.'),
}
const BEFORE = 'Of the time before, of the same length.'

export const PartnerFigures = Type.Object(
  { ...PERIOD, current: Trading, previous: describe(Trading, BEFORE) },
  { title: 'PartnerFigures' },
)
export type PartnerFigures = Static<typeof PartnerFigures>

export const ServiceFigures = Type.Object(
  {
    ...PERIOD,
    current: Service,
    previous: describe(Service, BEFORE),
    buckets: Type.Array(
      Type.Object({
        at: describe(DateTime, 'Its start.'),
        volume: MoneyNumber,
        income: MoneyNumber,
        begun: count,
        completed: count,
        otherwise: describe(count, 'Trades that ended in another state.'),
      }),
    ),
  },
  { title: 'ServiceFigures' },
)
export type ServiceFigures = Static<typeof ServiceFigures>
