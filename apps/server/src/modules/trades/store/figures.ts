// SQL of the figures of trades: counts, volumes and fees by account and status. Days whose trades have all
// ended are kept as sums; the rest of a range is read from the trades themselves.
import { type Queryable, sql } from '#infra/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { Status } from '../trade.ts'

export interface TradeFigures {
  readonly accountId: string
  readonly status: Status
  readonly tradeCount: number
  /** Cents of the merchant's currency, at each trade's own rate; of completed trades only. */
  readonly gmvCents: Cents
  /** Cents of the merchant's earnings wallet that settled items brought. */
  readonly feesCents: Cents
}

// Kept days are those from `lo` to `hi`: whole days within the range, before the tenant's mark. Trades are
// read before `lo` and from `hi` on, each once, and their items in one join.
export const FIGURES = sql(
  'trades.figures',
  `with asked as (
     select coalesce($2::timestamptz, '-infinity') since, coalesce($3::timestamptz, 'infinity') till,
       coalesce((select m.until_day::timestamp at time zone 'UTC' from trades.figures_mark m where m.tenant_id = $1),
         '-infinity') mark),
   first_day as (
     select a.*, case when date_trunc('day', since, 'UTC') < since
       then date_trunc('day', since, 'UTC') + interval '24 hours' else since end lo from asked a),
   bounds as (
     select f.*, greatest(lo, least(mark, date_trunc('day', till, 'UTC'))) hi from first_day f),
   trade as materialized (
     select t.id, t.account_id, t.status, t.total, t.currency, t.usd_per_eur_micros from trades.trade t
     where t.tenant_id = $1 and t.created_at >= (select since from bounds)
       and t.created_at < (select lo from bounds) and t.created_at <= (select till from bounds)
     union all
     select t.id, t.account_id, t.status, t.total, t.currency, t.usd_per_eur_micros from trades.trade t
     where t.tenant_id = $1 and t.created_at >= (select hi from bounds) and t.created_at <= (select till from bounds)),
   fees as (
     select t.account_id, t.status, sum(i.merchant_earned) earned
     from trade t join trades.item i on i.trade_id = t.id
     where i.merchant_earned > 0 group by t.account_id, t.status),
   figures as (
     select t.account_id, t.status, count(*) trade_count,
       sum(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, $4)) filter (where t.status = 'completed') gmv,
       max(f.earned) fees
     from trade t left join fees f using (account_id, status)
     group by t.account_id, t.status
     union all
     select d.account_id, d.status, sum(d.trade_count),
       sum(case $4::ledger.currency when 'USD' then d.gmv_usd else d.gmv_eur end), sum(d.fees)
     from trades.day_figures d
     where d.tenant_id = $1 and d.day >= (select (lo at time zone 'UTC')::date from bounds)
       and d.day < (select (hi at time zone 'UTC')::date from bounds)
     group by d.account_id, d.status)
   select account_id, status, sum(trade_count)::int trade_count, coalesce(sum(gmv), 0)::bigint gmv,
     coalesce(sum(fees), 0)::bigint fees
   from figures group by account_id, status`,
)

export async function readFigures(
  db: Queryable,
  tenantId: string,
  range: { from: Date | null; to: Date | null; currency: Currency },
): Promise<TradeFigures[]> {
  const rows = await db.query<{
    account_id: string
    status: Status
    trade_count: number
    gmv: bigint
    fees: bigint
  }>(FIGURES, [tenantId, range.from, range.to, range.currency])
  return rows.map((row) => ({
    accountId: row.account_id,
    status: row.status,
    tradeCount: row.trade_count,
    gmvCents: cents(row.gmv),
    feesCents: cents(row.fees),
  }))
}

const TENANTS = sql('trades.tenants', 'select id from trades.tenants() id')
const KEEP_DAY = sql('trades.keep_day', 'select trades.keep_day($1, $2) kept')

/** A trade is recorded within this long of its own time: clocks differ, and transactions take a while. */
const SETTLED_AFTER_MS = 24 * 3_600_000

/**
 * Keeps the figures of all days before yesterday whose trades have ended, a commit a day. A day with an open
 * trade stops its tenant there until that trade has ended. Ends early, between two days, when `signal` says.
 */
export async function keepFigures(
  db: Queryable,
  { at, signal }: { readonly at: Date; readonly signal: AbortSignal },
): Promise<void> {
  const before = new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10)
  for (const { id } of await db.query<{ id: string }>(TENANTS)) {
    for (let more = true; more && !signal.aborted; ) {
      const [row] = await db.query<{ kept: boolean }>(KEEP_DAY, [id, before])
      more = row?.kept ?? false
    }
  }
}
