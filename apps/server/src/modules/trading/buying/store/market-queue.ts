// SQL of how fast a market takes what waits for it.
import { type Queryable, sql } from '#infra/database/db'
import type { MarketId } from '../ports.ts'

export interface MarketQueue {
  readonly market: MarketId
  /** What its accounts take together: measured, or by their paces. */
  readonly placedPerMinute: number
  /** How many items may wait; null: no bound is known. */
  readonly placeable: number | null
  readonly waiting: number
  /** For how long an item that is bought now would wait. */
  readonly expectedWaitSeconds: number
}

const COLUMNS = `market, placed_per_minute "placedPerMinute", placeable, waiting,
  case when waiting = 0 then 0 else ceil(60 * waiting / greatest(placed_per_minute, 0.1))::integer end
    "expectedWaitSeconds"`

const MEASURE = sql(
  'buying.measure_queue',
  `with placed as (
     select count(*) / 10.0::double precision a_minute from buying.supplier_order
     where market = $1 and sent_at > $2::timestamptz - interval '10 minutes' and state <> 'not_sent'),
   queue as (
     select count(*)::integer waiting, min(created_at) oldest from buying.item where market = $1 and work = 'place'),
   measured as (
     select q.waiting, q.oldest <= $2::timestamptz - interval '5 minutes' is_full,
       case when q.oldest <= $2::timestamptz - interval '5 minutes' then p.a_minute
         else greatest(p.a_minute, coalesce($3::double precision, 0)) end a_minute
     from placed p cross join queue q)
   insert into buying.market_queue (market, placed_per_minute, placeable, waiting, measured_at)
   select $1, m.a_minute,
     case when $3::double precision is null and m.is_full is not true then null else ceil(10 * m.a_minute)::integer end,
     m.waiting, $2
   from measured m
   on conflict (market) do update set placed_per_minute = excluded.placed_per_minute,
     placeable = excluded.placeable, waiting = excluded.waiting, measured_at = excluded.measured_at
   returning ${COLUMNS}`,
)
/**
 * Writes down what the market takes, which bounds what may wait there. While items have waited for five
 * minutes, what was ordered in ten is a measure; else it may have been less than could be. `pacePerMinute` is
 * what the open accounts' paces take; null: one of them has no limit.
 */
export async function measureQueue(
  db: Queryable,
  {
    market,
    at,
    pacePerMinute,
  }: { readonly market: MarketId; readonly at: Date; readonly pacePerMinute: number | null },
): Promise<MarketQueue> {
  const [row] = await db.query<MarketQueue>(MEASURE, [market, at, pacePerMinute])
  return row as MarketQueue
}

const LIST = sql(
  'buying.market_queues',
  `select ${COLUMNS} from buying.market_queue order by market`,
)
export const listMarketQueues = (db: Queryable): Promise<MarketQueue[]> =>
  db.query<MarketQueue>(LIST)

const PLACED = sql(
  'buying.placed_by_account',
  `select market_account account, (count(*) / 10.0)::double precision "perMinute" from buying.supplier_order
   where market = $1 and sent_at > $2::timestamptz - interval '10 minutes' and state <> 'not_sent' group by 1`,
)
/** Orders that each account began in a minute, of the last ten. */
export const listPlaced = (
  db: Queryable,
  market: MarketId,
  at: Date,
): Promise<{ readonly account: string; readonly perMinute: number }[]> =>
  db.query(PLACED, [market, at])
