// SQL of trades over time: counts, volume and fees of each hour or day. Days that are over are read from
// their sums, as in figures.ts.
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'

export interface TradeBucket {
  /** Its start; days are those of UTC. */
  readonly at: Date
  readonly tradeCount: number
  readonly completedCount: number
  /** Neither completed nor ended otherwise: also those in hold. */
  readonly inProgressCount: number
  /** Cents of the merchant's currency, at each trade's own rate; of completed trades only. */
  readonly gmvCents: Cents
  readonly feesCents: Cents
}

const SERIES = sql(
  'trades.series',
  `with mark as (
     select case $5 when 'day' then coalesce((select m.until_day::timestamp at time zone 'UTC'
       from trades.figures_mark m where m.tenant_id = $1), '-infinity') else '-infinity'::timestamptz end at),
   bounds as (
     select date_trunc($5, $2::timestamptz, 'UTC') since, $3::timestamptz till,
       greatest(date_trunc($5, $2::timestamptz, 'UTC'), least((select at from mark), date_trunc('day', $3::timestamptz, 'UTC'))) live),
   trade as materialized (
     select date_trunc($5, t.created_at, 'UTC') at, t.status, t.total, t.currency, t.usd_per_eur_micros, t.earned
     from trades.trade t
     where t.tenant_id = $1 and t.created_at >= (select live from bounds) and t.created_at <= (select till from bounds)),
   counted as (
     select t.at, count(*) trades, count(*) filter (where t.status = 'completed') completed,
       count(*) filter (where t.status in ('initiated', 'pending', 'active', 'hold')) in_progress,
       sum(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, $4)) filter (where t.status = 'completed') gmv,
       sum(t.earned) fees
     from trade t group by t.at
     union all
     select d.day::timestamp at time zone 'UTC', sum(d.trade_count), sum(d.trade_count) filter (where d.status = 'completed'),
       sum(d.trade_count) filter (where d.status in ('initiated', 'pending', 'active', 'hold')),
       sum(case $4::ledger.currency when 'USD' then d.gmv_usd else d.gmv_eur end), sum(d.fees)
     from trades.kept_tenant_day d
     where d.tenant_id = $1 and d.day >= ((select since from bounds) at time zone 'UTC')::date
       and d.day < ((select live from bounds) at time zone 'UTC')::date
     group by d.day)
   select b.at, coalesce(sum(c.trades), 0)::int trades, coalesce(sum(c.completed), 0)::int completed,
     coalesce(sum(c.in_progress), 0)::int "inProgress",
     coalesce(sum(c.gmv), 0)::bigint gmv, coalesce(sum(c.fees), 0)::bigint fees
   from bounds, generate_series(since, till, case $5 when 'day' then interval '24 hours' else interval '1 hour' end) b (at)
     left join counted c on c.at = b.at
   group by b.at order by b.at`,
)

/** A bucket for each hour or day of the range, empty ones included, by rising time. */
export async function readSeries(
  db: Queryable,
  tenantId: string,
  range: {
    readonly from: Date
    readonly to: Date
    readonly currency: Currency
    readonly unit: 'hour' | 'day'
  },
): Promise<TradeBucket[]> {
  const { from, to, currency, unit } = range
  const rows = await db.query<{
    at: Date
    trades: number
    completed: number
    inProgress: number
    gmv: bigint
    fees: bigint
  }>(SERIES, [tenantId, from, to, currency, unit])
  return rows.map(({ at, trades, completed, inProgress, gmv, fees }) => ({
    at,
    tradeCount: trades,
    completedCount: completed,
    inProgressCount: inProgress,
    gmvCents: cents(gmv),
    feesCents: cents(fees),
  }))
}
