// SQL of what became of a trade's items, step by step.

import { columns, text, time } from '#infra/database/columns'
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

const STEP = columns<ItemStep>('', {
  itemId: text,
  what: text,
  status: text,
  at: time,
  offerId: text,
  failure: ['failure_code', text],
  price: cents,
})

const LIST_STEPS = sql(
  'trades.list_steps',
  `select ${STEP.list} from trades.item_step where trade_id = $1 order by id limit 5000`,
)
/** In the order in which they were taken. */
export const listSteps = (db: Queryable, tradeId: string): Promise<ItemStep[]> =>
  STEP.all(db, LIST_STEPS, [tradeId])
