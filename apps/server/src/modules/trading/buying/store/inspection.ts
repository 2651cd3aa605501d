// SQL of one trade as an operator looks at it, with the orders at its suppliers.
import { type Queryable, sql } from '#infra/database/db'
import type { Status } from '#trades'
import type { MarketId } from '../ports.ts'
import type { OrderState } from './orders.ts'

export interface BuyInspection {
  readonly tradeId: string
  readonly items: readonly InspectedItem[]
}

export interface InspectedItem {
  readonly id: string
  readonly market: MarketId
  readonly rawListingId: string
  readonly sourcingMills: bigint
  readonly status: Status
  readonly statusAt: Date
  readonly dueAt: Date
  readonly orders: readonly InspectedOrder[]
}

export interface InspectedOrder {
  readonly customId: string
  readonly state: OrderState
  readonly sentAt: Date
  readonly orderId: string | null
  readonly paidMills: bigint | null
  readonly misses: number
  readonly review: boolean
  readonly detail: string | null
}

const FIND_TRADE = sql(
  'buying.find_trade_of',
  'select trade_id from buying.item where id = $1 or trade_id = $1 limit 1',
)
const ITEMS = sql(
  'buying.inspected_items',
  `select i.id, i.market, i.raw_listing_id, i.sourcing_mills, t.status, t.status_at, i.due_at
   from trades.items_of($1) t join buying.item i on i.id = t.id order by t.position`,
)
const ORDERS = sql(
  'buying.inspected_orders',
  `select o.item_id, o.custom_id, o.state, o.sent_at, o.order_id, o.paid_mills, o.misses, o.review, o.detail
   from buying.item i join buying.supplier_order o on o.item_id = i.id
   where i.trade_id = $1
   union all
   select r.item_id, r.custom_id, 'refused', r.sent_at, null, null, 0, false, r.failure_code || ': ' || coalesce(r.detail, '')
   from buying.item i join buying.refused_order r on r.item_id = i.id
   where i.trade_id = $1
   order by 4, 2`,
)

/** By the id of a trade or of one of its items, which suppliers know too; null when there is none. */
export async function readBuyInspection(db: Queryable, id: string): Promise<BuyInspection | null> {
  const [trade] = await db.query<{ trade_id: string }>(FIND_TRADE, [id])
  if (!trade) return null
  const items = await db.query<ItemRow>(ITEMS, [trade.trade_id])
  const orders = await db.query<OrderRow>(ORDERS, [trade.trade_id])
  return {
    tradeId: trade.trade_id,
    items: items.map((item) => ({
      id: item.id,
      market: item.market,
      rawListingId: item.raw_listing_id,
      sourcingMills: item.sourcing_mills,
      status: item.status,
      statusAt: item.status_at,
      dueAt: item.due_at,
      orders: orders.filter((order) => order.item_id === item.id).map(orderOf),
    })),
  }
}

const orderOf = (row: OrderRow): InspectedOrder => ({
  customId: row.custom_id,
  state: row.state,
  sentAt: row.sent_at,
  orderId: row.order_id,
  paidMills: row.paid_mills,
  misses: row.misses,
  review: row.review,
  detail: row.detail,
})

interface ItemRow {
  id: string
  market: MarketId
  raw_listing_id: string
  sourcing_mills: bigint
  status: Status
  status_at: Date
  due_at: Date
}

interface OrderRow {
  item_id: string
  custom_id: string
  state: OrderState
  sent_at: Date
  order_id: string | null
  paid_mills: bigint | null
  misses: number
  review: boolean
  detail: string | null
}
