// SQL that reads the trades of one account by page number, and totals over the accounts of a tenant.
import { type Queryable, type Snapshot, sql } from '#infra/database/db'
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
/** An account of the partner interface, and the partner that its trades belong to. */
export interface AccountOfTenant {
  readonly tenantId: string
  readonly accountId: string
}

// What kept days hold is not counted again.
const RECENT = `
  from trades.not_kept($2) later, trades.trade t
  where t.account_id = $1 and t.id >= later.from_id and t.created_at >= later.since`

const COUNT_BY_STATUS = sql(
  'trades.count_by_status',
  `select status, sum(count)::bigint count from (
     select f.status, f.trade_count count from trades.kept_account f where f.account_id = $1
     union all
     select t.status, count(*) ${RECENT} group by t.status) counted
   group by status having sum(count) > 0`,
)

/** How many trades of an account stand where, in a time that its history does not lengthen. */
export async function countTrades(
  db: Queryable,
  { tenantId, accountId }: AccountOfTenant,
): Promise<ReadonlyMap<Status, number>> {
  const rows = await db.query<{ status: Status; count: bigint }>(COUNT_BY_STATUS, [
    accountId,
    tenantId,
  ])
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

/** An account's trades, newest first. */
export async function pageTrades(
  at: Snapshot,
  account: AccountOfTenant,
  page: NumberedPage,
): Promise<{ readonly total: number; readonly trades: readonly Trade[] }> {
  const counts = await countTrades(at, account)
  const ids = await at.query<{ id: string }>(PAGE_OF_ACCOUNT, [
    account.accountId,
    page.limit,
    offsetOf(page),
  ])
  return {
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
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

// ---------------------------------------------------------------- movements

/** A purchase, or the refund of its item. */
export interface TradeMovement {
  readonly type: 'purchase' | 'refund'
  readonly trade: Trade
  readonly at: Date
}

// The newest rows are those of the newest trades, and refunds of trades that are older by no more than a
// refund has ever taken; trades that no kept day counts are all looked at. Ties are broken, so that pages
// neither repeat nor miss a row. A trade has one item here, and "limit 1" makes the planner look it up by its
// index: where one account has most trades, a join reads all items.
export const PAGE_OF_MOVEMENTS = sql(
  'trades.page_of_movements',
  `with newest as (
     select count(*) found, min(n.created_at) since
     from (select t.created_at from trades.trade t where t.account_id = $1
           order by t.id desc limit $3::bigint + $4::bigint) n),
   bound as materialized (
     select since, trades.first_id(since) from_id from (
       select least(later.since, case when newest.found < $3::bigint + $4::bigint then '-infinity' else newest.since
         - coalesce((select max(f.refunded_within) from trades.kept_account f where f.account_id = $1), '0') end) since
       from newest, trades.not_kept($2) later) b),
   looked_at as materialized (
     select t.id, t.created_at from bound, trades.trade t
     where t.account_id = $1 and t.type = 'buy' and t.id >= bound.from_id and t.created_at >= bound.since),
   movement as (
     select id trade_id, 'purchase' "type", created_at "at" from looked_at
     union all
     select l.id, 'refund', item.status_at from looked_at l cross join lateral (
       select i.status_at, i.refunded from trades.item i where i.trade_id = l.id limit 1) item
     where item.refunded > 0)
   select trade_id, "type", "at" from movement
   order by "at" desc, trade_id desc, "type" desc limit $3::bigint offset $4::bigint`,
)
const COUNT_OF_MOVEMENTS = sql(
  'trades.count_of_movements',
  `select ((select coalesce(sum(f.trade_count + f.refund_count), 0)
       from trades.kept_account f where f.account_id = $1)
     + (select count(*) ${RECENT})
     + (select count(*) from (select t.id ${RECENT} and t.status > 'completed') ended cross join lateral (
          select i.refunded from trades.item i where i.trade_id = ended.id limit 1) item
        where item.refunded > 0))::bigint count`,
)

/** Purchases and refunds of an account whose trades have one item each, newest first. */
export async function pageMovements(
  at: Snapshot,
  { tenantId, accountId }: AccountOfTenant,
  page: NumberedPage,
): Promise<{ readonly total: number; readonly movements: readonly TradeMovement[] }> {
  const [count] = await at.query<{ count: bigint }>(COUNT_OF_MOVEMENTS, [accountId, tenantId])
  const rows = await at.query<{ trade_id: string; type: TradeMovement['type']; at: Date }>(
    PAGE_OF_MOVEMENTS,
    [accountId, tenantId, page.limit, offsetOf(page)],
  )
  const ids = [...new Set(rows.map(({ trade_id }) => trade_id))]
  const byId = new Map((await readTrades(at, ids)).map((trade) => [trade.id, trade]))
  return {
    total: Number(assertDefined(count, 'count of movements').count),
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

// Of `kept` and `recent`: what is kept is added to the trades that follow.
const TOTALS = `
  select kept.orders + count(*) filter (where is_completed and position = 1) orders,
    kept.volume + coalesce(sum(price) filter (where is_completed), 0)::bigint volume,
    kept.fees + coalesce(sum(earned) filter (where is_completed), 0)::bigint fees,
    kept.open_orders + count(*) filter (where not is_completed and position = 1) "openOrders",
    kept.open_volume + coalesce(sum(price) filter (where not is_completed), 0)::bigint "openVolume",
    kept.due_fees + coalesce(sum(fee) filter (where not is_completed), 0)::bigint "openFees"
  from kept left join recent on true
  group by kept.orders, kept.volume, kept.fees, kept.open_orders, kept.open_volume, kept.due_fees`
const COUNTED = `t.status = 'completed' is_completed, i.price, i.merchant_earned earned, i.merchant_fee fee, i.position`

const ORDER_FIGURES = sql(
  'trades.order_figures',
  `with kept as (
     select coalesce(sum(k.orders), 0)::bigint orders, coalesce(sum(k.volume_usd), 0)::bigint volume,
       coalesce(sum(k.fees), 0)::bigint fees, coalesce(sum(k.open_orders), 0)::bigint open_orders,
       coalesce(sum(k.open_volume_usd), 0)::bigint open_volume, coalesce(sum(k.due_fees), 0)::bigint due_fees
     from trades.kept_children k where k.tenant_id = $1),
   recent as (
     select ${COUNTED} from trades.not_kept($1) later, trades.trade t join trades.item i on i.trade_id = t.id
     where t.tenant_id = $1 and t.created_at >= later.since and t.account_id <> $1
       and t.type = 'buy' and t.status <= 'completed')
   ${TOTALS}`,
)
const CHILD_FIGURES = sql(
  'trades.child_figures',
  `with kept as (
     select coalesce(sum(f.trade_count) filter (where f.status = 'completed'), 0)::bigint orders,
       coalesce(sum(f.volume_usd) filter (where f.status = 'completed'), 0)::bigint volume,
       coalesce(sum(f.fees) filter (where f.status = 'completed'), 0)::bigint fees,
       coalesce(sum(f.trade_count) filter (where f.status < 'completed'), 0)::bigint open_orders,
       coalesce(sum(f.volume_usd) filter (where f.status < 'completed'), 0)::bigint open_volume,
       coalesce(sum(f.due_fees), 0)::bigint due_fees
     from trades.kept_account f where f.account_id = $1),
   recent as (
     select ${COUNTED} from (select t.id, t.status ${RECENT} and t.type = 'buy' and t.status <= 'completed') t
     join trades.item i on i.trade_id = t.id)
   ${TOTALS}`,
)

type FigureRow = Record<
  'orders' | 'volume' | 'fees' | 'openOrders' | 'openVolume' | 'openFees',
  bigint
>

/**
 * Totals over all accounts below a tenant whose wallets are all in US dollars. It costs as much as there are
 * trades of the last two or three days, however long earlier ones stay open.
 */
export async function readOrderFigures(db: Queryable, tenantId: string): Promise<OrderFigures> {
  const [row] = await db.query<FigureRow>(ORDER_FIGURES, [tenantId])
  return figuresOf(assertDefined(row, 'the totals of a tenant'))
}

/** The same of one account below it. */
export async function readChildFigures(
  db: Queryable,
  { tenantId, accountId }: AccountOfTenant,
): Promise<OrderFigures> {
  const [row] = await db.query<FigureRow>(CHILD_FIGURES, [accountId, tenantId])
  return figuresOf(assertDefined(row, 'the totals of an account'))
}

const figuresOf = (found: FigureRow): OrderFigures => ({
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
})
