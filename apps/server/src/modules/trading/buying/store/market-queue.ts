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

/** Fewer than are placed in a minute are no queue, and never fewer than this: something else keeps them. */
const LEAST_WAITING = 10

const MEASURE = sql(
  'buying.measure_queue',
  `with most as materialized (select buying.most_placeable($1) mills),
   queue as (
     select count(*)::integer waiting, min(i.created_at) oldest from buying.item i, most
     where i.market = $1 and i.work = 'place' and i.sourcing_mills <= most.mills),
   placed as (
     select q.*, (count(o.item_id) / 10.0)::double precision a_minute,
       (count(o.item_id) filter (where o.sent_at >= q.oldest)
         / greatest(5, least(10, extract(epoch from $2 - q.oldest) / 60)))::double precision since_oldest
     from queue q left join buying.supplier_order o
       on o.market = $1 and o.sent_at > $2::timestamptz - interval '10 minutes' and o.state <> 'not_sent'
     group by q.waiting, q.oldest),
   full_since as (
     select p.*, p.oldest <= $2::timestamptz - interval '5 minutes'
       and p.waiting >= greatest(coalesce($3::double precision, p.a_minute), ${LEAST_WAITING}) is_full
     from placed p),
   measured as (
     select f.waiting, f.is_full,
       case when f.is_full then f.since_oldest
         else greatest(f.a_minute, coalesce($3::double precision, 0)) end a_minute
     from full_since f)
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
 * Writes down what the market takes, which bounds what may wait there. While a queue has waited for five
 * minutes, what was ordered since, in ten at most, is a measure; else it may have been less than could be.
 * Items that no account can pay are none of it. `pacePerMinute` is what the open accounts' paces take; null:
 * one of them has no limit.
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
