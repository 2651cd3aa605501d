// SQL of what became of a trade's items, step by step.

import { type Queryable, sql } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import type { FailureCode, Status } from '../trade.ts'

export interface ItemStep {
  readonly itemId: string
  readonly what: 'moved' | 'cancel_requested' | 'replaced'
  /** Where the item stood afterwards. */
  readonly status: Status
  readonly at: Date
  readonly offerId: string | null
  readonly failure: FailureCode | null
  readonly price: Cents
}

interface StepRow {
  item_id: string
  what: ItemStep['what']
  status: Status
  at: Date
  offer_id: string | null
  failure_code: FailureCode | null
  price: bigint
}

const LIST_STEPS = sql(
  'trades.list_steps',
  `select item_id, what, status, at, offer_id, failure_code, price
   from trades.item_step where trade_id = $1 order by id limit 5000`,
)
/** In the order in which they were taken. */
export async function listSteps(db: Queryable, tradeId: string): Promise<ItemStep[]> {
  const rows = await db.query<StepRow>(LIST_STEPS, [tradeId])
  return rows.map((row) => ({
    itemId: row.item_id,
    what: row.what,
    status: row.status,
    at: row.at,
    offerId: row.offer_id,
    failure: row.failure_code,
    price: cents(row.price),
  }))
}
