// SQL of one trade as an operator looks at it, with the orders at its suppliers.
import { bool, columns, int, type Row, text, time } from '#infra/database/columns'
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
const ITEM = columns<Omit<InspectedItem, 'orders'>>('i.', {
  id: text,
  market: text,
  rawListingId: text,
  sourcingMills: BigInt,
  status: ['t.status', text],
  statusAt: ['t.status_at', time],
  dueAt: time,
})
const ORDER = columns<InspectedOrder>('o.', {
  customId: text,
  state: text,
  sentAt: time,
  orderId: text,
  paidMills: BigInt,
  misses: int,
  review: bool,
  detail: text,
})

const ITEMS = sql(
  'buying.inspected_items',
  `select ${ITEM.list}
   from trades.items_of($1) t join buying.item i on i.id = t.id order by t.position`,
)
const ORDERS = sql(
  'buying.inspected_orders',
  `select o.item_id "itemId", ${ORDER.list}
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
  const items = await ITEM.all(db, ITEMS, [trade.trade_id])
  const orders = await db.query<Row<InspectedOrder> & { itemId: string }>(ORDERS, [trade.trade_id])
  return {
    tradeId: trade.trade_id,
    items: items.map((item) => ({
      ...item,
      orders: orders.filter(({ itemId }) => itemId === item.id).map(ORDER.of),
    })),
  }
}
