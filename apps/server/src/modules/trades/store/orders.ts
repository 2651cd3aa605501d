// SQL that reads the trades of one account by page number, and totals over the accounts of a tenant.
import { type Queryable, type Snapshot, sql } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, cents } from '#kernel/money'
import type { Status, Trade } from '../trade.ts'
import { readTrades } from './trades.ts'

export interface NumberedPage {
  readonly page: number
  readonly limit: number
}

const offsetOf = ({ page, limit }: NumberedPage): bigint => BigInt(page - 1) * BigInt(limit)

const PAGE_OF_ACCOUNT = sql(
  'trades.page_of_account',
  'select id from trades.trade where account_id = $1 order by id desc limit $2 offset $3',
)
const COUNT_OF_ACCOUNT = sql(
  'trades.count_of_account',
  'select count(*)::int count from trades.trade where account_id = $1',
)

/** An account's trades, newest first. */
export async function pageTrades(
  at: Snapshot,
  accountId: string,
  page: NumberedPage,
): Promise<{ readonly total: number; readonly trades: readonly Trade[] }> {
  const [count] = await at.query<{ count: number }>(COUNT_OF_ACCOUNT, [accountId])
  const ids = await at.query<{ id: string }>(PAGE_OF_ACCOUNT, [
    accountId,
    page.limit,
    offsetOf(page),
  ])
  return {
    total: assertDefined(count, 'count of trades').count,
    trades: await inOrder(
      at,
      ids.map(({ id }) => id),
    ),
  }
}

async function inOrder(at: Snapshot, ids: readonly string[]): Promise<Trade[]> {
  const byId = new Map((await readTrades(at, ids)).map((trade) => [trade.id, trade]))
  return ids.map((id) => assertDefined(byId.get(id), 'trade of the page'))
}

const COUNT_BY_STATUS = sql(
  'trades.count_by_status',
  'select status, count(*)::int count from trades.trade where account_id = $1 group by status',
)

/** How many trades of an account stand where. */
export async function countTrades(
  db: Queryable,
  accountId: string,
): Promise<ReadonlyMap<Status, number>> {
  const rows = await db.query<{ status: Status; count: number }>(COUNT_BY_STATUS, [accountId])
  return new Map(rows.map(({ status, count }) => [status, count]))
}

// ---------------------------------------------------------------- movements

/** A purchase, or the refund of its item. */
export interface TradeMovement {
  readonly type: 'purchase' | 'refund'
  readonly trade: Trade
  readonly at: Date
}

// Each account's own trades only; ties are broken, so that pages neither repeat nor miss a row.
const MOVEMENTS = `
  from (
    select t.id trade_id, 'purchase' "type", t.created_at "at" from trades.trade t
      where t.account_id = $1 and t.type = 'buy'
    union all
    select t.id, 'refund', i.status_at from trades.trade t join trades.item i on i.trade_id = t.id
      where t.account_id = $1 and i.refunded > 0) movement`

const PAGE_OF_MOVEMENTS = sql(
  'trades.page_of_movements',
  `select trade_id, "type", "at" ${MOVEMENTS} order by "at" desc, trade_id desc, "type" desc limit $2 offset $3`,
)
const COUNT_OF_MOVEMENTS = sql(
  'trades.count_of_movements',
  `select count(*)::int count ${MOVEMENTS}`,
)

/** Purchases and refunds of an account whose trades have one item each, newest first. */
export async function pageMovements(
  at: Snapshot,
  accountId: string,
  page: NumberedPage,
): Promise<{ readonly total: number; readonly movements: readonly TradeMovement[] }> {
  const [count] = await at.query<{ count: number }>(COUNT_OF_MOVEMENTS, [accountId])
  const rows = await at.query<{ trade_id: string; type: TradeMovement['type']; at: Date }>(
    PAGE_OF_MOVEMENTS,
    [accountId, page.limit, offsetOf(page)],
  )
  const ids = [...new Set(rows.map(({ trade_id }) => trade_id))]
  const byId = new Map((await readTrades(at, ids)).map((trade) => [trade.id, trade]))
  return {
    total: assertDefined(count, 'count of movements').count,
    movements: rows.map((row) => ({
      type: row.type,
      trade: assertDefined(byId.get(row.trade_id), 'trade of the movement'),
      at: row.at,
    })),
  }
}

// ---------------------------------------------------------------- totals

export interface OrderFigures {
  /** Fees: what the tenant was paid. */
  readonly completed: OrderTotal
  /** Fees: what it will be paid when all of them complete. */
  readonly open: OrderTotal
}

export interface OrderTotal {
  readonly count: number
  readonly total: Cents
  readonly merchantFees: Cents
}

// Trades under way are of days that are not kept: what is kept of the others is added to those that follow.
const ORDER_FIGURES = sql(
  'trades.order_figures',
  `with kept as (
     select coalesce(max(m.until_day)::timestamp at time zone 'UTC', '-infinity') until,
       coalesce(max(m.child_orders), 0) orders, coalesce(max(m.child_volume_usd), 0) volume,
       coalesce(max(m.child_fees), 0) fees
     from trades.figures_mark m where m.tenant_id = $1),
   recent as (
     select t.status = 'completed' is_completed, i.price, i.merchant_earned earned, i.merchant_fee fee, i.position
     from trades.trade t join trades.item i on i.trade_id = t.id
     where t.tenant_id = $1 and t.created_at >= (select until from kept) and t.account_id <> $1
       and t.type = 'buy' and t.status <= 'completed')
   select kept.orders + count(*) filter (where is_completed and position = 1) orders,
     kept.volume + coalesce(sum(price) filter (where is_completed), 0)::bigint volume,
     kept.fees + coalesce(sum(earned) filter (where is_completed), 0)::bigint fees,
     count(*) filter (where not is_completed and position = 1) "openOrders",
     coalesce(sum(price) filter (where not is_completed), 0)::bigint "openVolume",
     coalesce(sum(fee) filter (where not is_completed), 0)::bigint "openFees"
   from kept left join recent on true group by kept.orders, kept.volume, kept.fees`,
)

/**
 * Totals over all accounts below a tenant whose wallets are all in US dollars. It costs as much as there are
 * trades since the oldest one that has not ended, and a day or two before.
 */
export async function readOrderFigures(db: Queryable, tenantId: string): Promise<OrderFigures> {
  type Name = 'orders' | 'volume' | 'fees' | 'openOrders' | 'openVolume' | 'openFees'
  const [row] = await db.query<Record<Name, bigint>>(ORDER_FIGURES, [tenantId])
  const found = assertDefined(row, 'the totals of a tenant')
  return {
    completed: {
      count: Number(found.orders),
      total: cents(found.volume),
      merchantFees: cents(found.fees),
    },
    open: {
      count: Number(found.openOrders),
      total: cents(found.openVolume),
      merchantFees: cents(found.openFees),
    },
  }
}
