// SQL of orders as we hold them, for those who compare them with what suppliers say.

import { type Queryable, sql } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { Status, TradeItem } from '#trades'
import type { MarketId } from '../ports.ts'
import type { OrderState } from './orders.ts'

export interface HeldOrder {
  readonly itemId: string
  readonly customId: string
  readonly state: OrderState
  readonly sentAt: Date
  readonly orderId: string | null
  readonly paidMills: Mills | null
  /** What the supplier was allowed to take. */
  readonly ceilingMills: Mills
  readonly status: Status
  readonly statusAt: Date
  readonly revertedBy: TradeItem['revertedBy']
}

const HELD_ORDERS = sql(
  'buying.held_orders',
  `with held as (
     select o.* from buying.supplier_order o where o.market = $1 and o.sent_at >= $2
     union
     select o.* from buying.supplier_order o where o.market = $1 and o.custom_id = any ($3::text[])
     limit 200000)
   select h.item_id, h.custom_id, h.state, h.sent_at, h.order_id, h.paid_mills, i.sourcing_mills, t.status,
     t.status_at, t.reverted_by
   from held h join buying.item i on i.id = h.item_id
     join trades.items_by_id(array(select item_id from held)) t on t.id = h.item_id`,
)

/** Those sent since a moment, and those of these ids whenever they were sent. */
export async function listHeldOrders(
  db: Queryable,
  query: {
    readonly market: MarketId
    readonly sentSince: Date
    readonly customIds: readonly string[]
  },
): Promise<HeldOrder[]> {
  const { market, sentSince, customIds } = query
  const rows = await db.query<HeldRow>(HELD_ORDERS, [market, sentSince, customIds])
  return rows.map((row) => ({
    itemId: row.item_id,
    customId: row.custom_id,
    state: row.state,
    sentAt: row.sent_at,
    orderId: row.order_id,
    paidMills: row.paid_mills === null ? null : mills(row.paid_mills),
    ceilingMills: mills(row.sourcing_mills),
    status: row.status,
    statusAt: row.status_at,
    revertedBy: row.reverted_by,
  }))
}

interface HeldRow {
  item_id: string
  custom_id: string
  state: OrderState
  sent_at: Date
  order_id: string | null
  paid_mills: bigint | null
  sourcing_mills: bigint
  status: Status
  status_at: Date
  reverted_by: TradeItem['revertedBy']
}
