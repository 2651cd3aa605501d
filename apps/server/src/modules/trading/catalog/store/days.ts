// SQL of what items cost, day by day.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Cents } from '#kernel/money'

// A busy item sells thousands of times a day; its median is that of its last thousand prices.
const ADD_TO_DAY = `
  on conflict (item_id, day) do update set
    volume = d.volume + excluded.volume,
    lowest_cents = least(d.lowest_cents, excluded.lowest_cents),
    median_cents = catalog.median(d.seen_cents || excluded.seen_cents),
    highest_cents = greatest(d.highest_cents, excluded.highest_cents),
    seen_cents = (d.seen_cents || excluded.seen_cents)[
      greatest(1, cardinality(d.seen_cents || excluded.seen_cents) - 999):]`

/** Prices are sourcing prices in US cents. */
export interface PriceDay {
  /** yyyy-mm-dd, UTC. */
  readonly date: string
  readonly volume: number
  readonly lowest: Cents
  readonly median: Cents
  readonly highest: Cents
}

const HISTORY_DAYS = 365

const HISTORY = sql(
  'catalog_history',
  `select day as date, volume, lowest_cents as lowest, median_cents as median, highest_cents as highest
   from catalog.item_day where item_id = $1 order by day desc limit ${HISTORY_DAYS}`,
)

/** By rising date. */
export async function listHistory(db: Queryable, itemId: string): Promise<PriceDay[]> {
  return (await db.query<PriceDay>(HISTORY, [itemId])).reverse()
}

const FOLD_SALES = sql(
  'catalog_fold_sales',
  `with sold as (
     delete from catalog.sale_news where ctid = any (array(
       select ctid from catalog.sale_news limit $1 for update skip locked))
     returning item_id, price_cents, sold_at),
   day_sold as (
     select item_id, (sold_at at time zone 'UTC')::date as day, count(*) as volume,
       array_agg(price_cents) as prices
     from sold group by 1, 2),
   added as (
     insert into catalog.item_day as d
       (item_id, day, volume, lowest_cents, median_cents, highest_cents, seen_cents)
     select item_id, day, volume, (select min(p) from unnest(prices) p), catalog.median(prices),
     (select max(p) from unnest(prices) p), prices
     from day_sold
     ${ADD_TO_DAY}),
   latest as (
     select distinct on (item_id) item_id, price_cents, sold_at from sold order by item_id, sold_at desc),
   noted as (
     update catalog.item i set last_sale_cents = l.price_cents, last_sale_at = l.sold_at, changed_seq = $2
     from latest l where i.id = l.item_id and (i.last_sale_at is null or i.last_sale_at <= l.sold_at))
   select count(*) as count, coalesce(array_agg(distinct item_id), '{}') as item_ids from sold`,
)

/** Adds recorded sales to their days and items; answers the items and how many sales there were. */
export async function foldSales(
  tx: Tx,
  seq: bigint,
  limit: number,
): Promise<{ itemIds: string[]; count: number }> {
  const [row] = await tx.query<{ count: bigint; item_ids: string[] }>(FOLD_SALES, [limit, seq])
  return { itemIds: row?.item_ids ?? [], count: Number(row?.count ?? 0n) }
}

const HAS_NEW_SALES = sql(
  'catalog_has_sale_news',
  'select exists (select from catalog.sale_news) as found',
)

export async function hasSaleRows(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_NEW_SALES)
  return row?.found ?? false
}

const COUNT_OWN_SALES = sql(
  'catalog_count_own_sales',
  `update catalog.item i
   set own_sales = counted.own_sales, sales_7d = counted.sales_7d, changed_seq = $1
   from (
     select i.id, coalesce(sum(d.volume), 0)::integer as own_sales,
       coalesce(sum(d.volume) filter (where d.day > $2::date - 7), 0)::integer as sales_7d
     from catalog.item i
     left join catalog.item_day d on d.item_id = i.id and d.volume > 0 and d.day > $2::date - 30
     where ($3::text[] is null and i.own_sales > 0) or i.id = any ($3)
     group by i.id) counted
   where i.id = counted.id and (i.own_sales, i.sales_7d) <> (counted.own_sales, counted.sales_7d)
   returning i.id`,
)

/** Counts the own sales of the last 30 and 7 days anew, of the items or (null) of all that had any. */
export async function countOwnSales(
  tx: Tx,
  seq: bigint,
  { at, itemIds }: { readonly at: Date; readonly itemIds: readonly string[] | null },
): Promise<number> {
  return (await tx.query(COUNT_OWN_SALES, [seq, at, itemIds])).length
}

const LAST_OBSERVATION = sql(
  'catalog_last_observation',
  `select observed_at, exists (select from catalog.market where enabled and online) and not exists (
     select from catalog.market where enabled and online and snapshot_at is null) as ready
   from catalog.observation`,
)

/** When prices were last observed, and whether every market that is up has been read whole. */
export async function lastObservation(
  db: Queryable,
): Promise<{ observedAt: Date | null; ready: boolean }> {
  const [row] = await db.query<{ observed_at: Date | null; ready: boolean }>(LAST_OBSERVATION)
  return { observedAt: row?.observed_at ?? null, ready: row?.ready ?? false }
}

const OBSERVE_PRICES = sql(
  'catalog_observe_prices',
  `insert into catalog.item_day as d
     (item_id, day, volume, lowest_cents, median_cents, highest_cents, seen_cents)
   select s.item_id, ($1::timestamptz at time zone 'UTC')::date, 0, min(floor), min(floor), min(floor),
     array[min(floor)]
   from catalog.stock s
   join catalog.market m on m.id = s.market and m.enabled and m.online
   cross join lateral (
     select (least(s.standard_mills, s.instant_mills) + 9) / 10 as floor) f
   where f.floor is not null
   group by s.item_id
   ${ADD_TO_DAY}`,
)

const CLOSE_DAYS = sql(
  'catalog_close_days',
  `update catalog.item_day set seen_cents = '{}'
   where day < ($1::timestamptz at time zone 'UTC')::date - 1
     and day > ($1::timestamptz at time zone 'UTC')::date - 10 and seen_cents <> '{}'`,
)

const MARK_OBSERVED = sql(
  'catalog_mark_observed',
  'update catalog.observation set observed_at = $1',
)

/** Notes each item's cheapest listing as a price of the day, and forgets the details of days past. */
export async function observePrices(tx: Tx, at: Date): Promise<void> {
  await tx.query(OBSERVE_PRICES, [at])
  await tx.query(CLOSE_DAYS, [at])
  await tx.query(MARK_OBSERVED, [at])
}
