// SQL of the figures of trades: counts, volumes and fees by status, of each account or of all together. Days
// that are over are kept as sums, which later steps correct; the rest of a range is read from the trades.
import { isConnectionLoss, type Queryable, type Statement, sql } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { Status } from '../trade.ts'

interface Figures {
  readonly tradeCount: number
  /** Cents of the merchant's currency, at each trade's own rate; of completed trades only. */
  readonly gmvCents: Cents
  /** Cents of the merchant's earnings wallet that settled items brought. */
  readonly feesCents: Cents
}

export interface TradeTotals extends Figures {
  readonly status: Status
}

export interface AccountFigures extends Figures {
  readonly accountId: string
}

interface FiguresRow {
  trade_count: number
  gmv: bigint
  fees: bigint
}

interface Range {
  readonly from: Date | null
  readonly to: Date | null
  readonly currency: Currency
}

// Kept days are those from `lo` to `hi`: whole days within the range, before the tenant's mark. Trades are
// read before `lo` and from `hi` on, each once.
const RANGE = `asked as (
     select coalesce($2::timestamptz, '-infinity') since, coalesce($3::timestamptz, 'infinity') till,
       coalesce((select m.until_day::timestamp at time zone 'UTC' from trades.figures_mark m where m.tenant_id = $1),
         '-infinity') mark),
   first_day as (
     select a.*, case when date_trunc('day', since, 'UTC') < since
       then date_trunc('day', since, 'UTC') + interval '24 hours' else since end lo from asked a),
   bounds as (
     select f.*, greatest(lo, least(mark, date_trunc('day', till, 'UTC'))) hi from first_day f),
   trade as materialized (
     select t.account_id, t.status, t.total, t.currency, t.usd_per_eur_micros, t.earned from trades.trade t
     where t.tenant_id = $1 and t.created_at >= (select since from bounds)
       and t.created_at < (select lo from bounds) and t.created_at <= (select till from bounds)
     union all
     select t.account_id, t.status, t.total, t.currency, t.usd_per_eur_micros, t.earned from trades.trade t
     where t.tenant_id = $1 and t.created_at >= (select hi from bounds) and t.created_at <= (select till from bounds))`

const figuresBy = (key: 'account_id' | 'status', keptIn: string): string =>
  `select f.${key}, sum(f.trade_count)::int trade_count, coalesce(sum(f.gmv), 0)::bigint gmv,
     coalesce(sum(f.fees), 0)::bigint fees
   from (
     select t.${key}, count(*) trade_count,
       sum(trades.gmv(t.total, t.currency, t.usd_per_eur_micros, $4)) filter (where t.status = 'completed') gmv,
       sum(t.earned) fees
     from trade t group by t.${key}
     union all
     select d.${key}, sum(d.trade_count),
       sum(case $4::ledger.currency when 'USD' then d.gmv_usd else d.gmv_eur end), sum(d.fees)
     from ${keptIn} d
     where d.tenant_id = $1 and d.day >= (select (lo at time zone 'UTC')::date from bounds)
       and d.day < (select (hi at time zone 'UTC')::date from bounds)
     group by d.${key}) f
   group by f.${key} having sum(f.trade_count) > 0`
const BY_STATUS = figuresBy('status', 'trades.kept_tenant_day')
const BY_ACCOUNT = figuresBy('account_id', 'trades.kept_day')

const figuresOf = (row: FiguresRow): Figures => ({
  tradeCount: row.trade_count,
  gmvCents: cents(row.gmv),
  feesCents: cents(row.fees),
})

export const FIGURES = sql(
  'trades.figures',
  `with ${RANGE},
   total as (${BY_STATUS}),
   account as (${BY_ACCOUNT} order by gmv desc, trade_count desc, account_id desc limit $5)
   select status, null::uuid account_id, trade_count, gmv, fees from total
   union all
   select null, account_id, trade_count, gmv, fees from account
   order by gmv desc, trade_count desc, account_id desc`,
)
/**
 * Of all accounts of a tenant together, by status, and of each account that traded in the range, the
 * tenant's own among them: the largest volume first, at most `limit`.
 */
export async function readFigures(
  db: Queryable,
  tenantId: string,
  { from, to, currency }: Range,
  limit: number,
): Promise<{ readonly totals: TradeTotals[]; readonly accounts: AccountFigures[] }> {
  const values = [tenantId, from, to, currency, limit]
  const rows = await db.query<
    FiguresRow & ({ status: Status; account_id: null } | { status: null; account_id: string })
  >(FIGURES, values)
  return {
    totals: rows.flatMap((row) =>
      row.status === null ? [] : { status: row.status, ...figuresOf(row) },
    ),
    accounts: rows.flatMap((row) =>
      row.account_id === null ? [] : { accountId: row.account_id, ...figuresOf(row) },
    ),
  }
}

const TOTALS = sql('trades.totals', `with ${RANGE} ${BY_STATUS}`)
/** Of all accounts of a tenant together; a kept day costs a row for each status. */
export async function readTotals(
  db: Queryable,
  tenantId: string,
  { from, to, currency }: Range,
): Promise<TradeTotals[]> {
  const values = [tenantId, from, to, currency]
  const rows = await db.query<FiguresRow & { status: Status }>(TOTALS, values)
  return rows.map((row) => ({ status: row.status, ...figuresOf(row) }))
}

const TENANTS = sql('trades.tenants', 'select id from trades.tenants() id')
const KEEP_DAY = sql('trades.keep_day', 'select trades.keep_day($1, $2) more')
const FOLD_CHANGES = sql('trades.fold_changes', 'select trades.fold_changes($1, $2) more')

/** A trade is recorded within this long of its own time: clocks differ, and transactions take a while. */
const SETTLED_AFTER_MS = 24 * 3_600_000
/** Of one commit. */
const CHANGES_AT_ONCE = 5_000

/**
 * Keeps the figures of all days before yesterday, a commit a day, and adds what later steps have changed in
 * kept ones. Ends early, between two commits, when `signal` says. An error of one tenant, such as a day that
 * takes longer than a statement may, stops no other; the first one is thrown in the end.
 */
export async function keepFigures(
  db: Queryable,
  { at, signal }: { readonly at: Date; readonly signal: AbortSignal },
): Promise<void> {
  const before = new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10)
  const errors: unknown[] = []
  for (const { id } of await db.query<{ id: string }>(TENANTS)) {
    try {
      await keepDaysOf(db, id, { before, signal })
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

async function keepDaysOf(
  db: Queryable,
  tenantId: string,
  { before, signal }: { readonly before: string; readonly signal: AbortSignal },
): Promise<void> {
  const hasMore = async (statement: Statement, value: unknown): Promise<boolean> => {
    if (signal.aborted) return false
    const [row] = await db.query<{ more: boolean }>(statement, [tenantId, value])
    return row?.more ?? false
  }
  for (let mayKeep = true; mayKeep; ) {
    mayKeep = await hasMore(KEEP_DAY, before)
    for (let mayFold = true; mayFold; ) mayFold = await hasMore(FOLD_CHANGES, CHANGES_AT_ONCE)
  }
}
