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

const ORDER_FIGURES = sql(
  'trades.order_figures',
  `select t.status = 'completed' "isCompleted", count(distinct t.id)::int count, sum(i.price)::bigint total,
     coalesce(sum(case when t.status = 'completed' then i.merchant_earned else i.merchant_fee end), 0)::bigint fees
   from trades.trade t join trades.item i on i.trade_id = t.id
   where t.tenant_id = $1 and t.account_id <> $1 and t.type = 'buy' and t.status <= 'completed'
   group by 1`,
)

/** Totals over all accounts below a tenant whose wallets are all in one currency. */
export async function readOrderFigures(db: Queryable, tenantId: string): Promise<OrderFigures> {
  const rows = await db.query<{ isCompleted: boolean; count: number; total: bigint; fees: bigint }>(
    ORDER_FIGURES,
    [tenantId],
  )
  const totalOf = (isCompleted: boolean): OrderTotal => {
    const row = rows.find((each) => each.isCompleted === isCompleted)
    return {
      count: row?.count ?? 0,
      total: cents(row?.total ?? 0n),
      merchantFees: cents(row?.fees ?? 0n),
    }
  }
  return { completed: totalOf(true), open: totalOf(false) }
}
