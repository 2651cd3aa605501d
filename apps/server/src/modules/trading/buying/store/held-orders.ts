// SQL of orders as we hold them, for those who compare them with what suppliers say.

import { bool, columns, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { Status, TradeItem } from '#trades'
import type { AccountRef } from '../ports.ts'
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
  /** A person has said how it ended. */
  readonly isDecided: boolean
}

const HELD_ORDER = columns<HeldOrder>('h.', {
  itemId: text,
  customId: text,
  state: text,
  sentAt: time,
  orderId: text,
  paidMills: mills,
  ceilingMills: ['i.sourcing_mills', mills],
  status: ['t.status', text],
  statusAt: ['t.status_at', time],
  revertedBy: ['t.reverted_by', text],
  isDecided: ['(i.decided_at is not null)', bool],
})

const HELD_ORDERS = sql(
  'buying.held_orders',
  `with held as (
     select o.* from buying.supplier_order o where o.market = $1 and o.market_account = $4 and o.sent_at >= $2
     union
     select o.* from buying.supplier_order o where o.market = $1 and o.custom_id = any ($3::text[])
     limit 200000)
   select ${HELD_ORDER.list}
   from held h join buying.item i on i.id = h.item_id
     join trades.items_by_id(array(select item_id from held)) t on t.id = h.item_id`,
)

/** Those that the account sent since a moment, and those of these ids whenever they were sent. */
export async function listHeldOrders(
  db: Queryable,
  query: AccountRef & {
    readonly sentSince: Date
    readonly customIds: readonly string[]
  },
): Promise<HeldOrder[]> {
  const { market, account, sentSince, customIds } = query
  return HELD_ORDER.all(db, HELD_ORDERS, [market, sentSince, customIds, account])
}
