// SQL of deliveries that a person decides about.
import { columns, text } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { cents } from '#kernel/money'
import type { WorkItem } from '../item.ts'

const MARK = sql(
  'buying.mark_contested',
  `update buying.item set contested_at = $2 where id = $1 and work = 'follow' and contested_at is null`,
)
export async function markContested(db: Queryable, itemId: string, at: Date): Promise<void> {
  await db.query(MARK, [itemId, at])
}

export type UndecidedItem = Pick<WorkItem, 'id' | 'tradeId' | 'price' | 'status'>

const UNDECIDED = columns<UndecidedItem>('t.', {
  id: text,
  tradeId: text,
  price: cents,
  status: text,
})
const FIND = sql(
  'buying.find_undecided',
  `select ${UNDECIDED.list} from buying.item i join trades.items_by_id(array[$1::uuid]) t on t.id = i.id
   where i.id = $1 and i.contested_at is not null and i.decided_at is null`,
)
/** Null: it was never contested, or a person has decided. */
export const findUndecided = (db: Queryable, itemId: string): Promise<UndecidedItem | null> =>
  UNDECIDED.first(db, FIND, [itemId])

const LOCK = sql(
  'buying.lock_trade_of_contested',
  'select trade.tenant_id from trades.lock_trade($1) trade',
)
const DECIDE = sql(
  'buying.decide_contested',
  `update buying.item set decided_at = $2 where id = $1 and contested_at is not null and decided_at is null
   returning id`,
)
/** The trade first, as every step locks it. False when it is decided already. */
export async function noteDecision(
  tx: Tx,
  { id, tradeId }: UndecidedItem,
  at: Date,
): Promise<boolean> {
  await tx.query(LOCK, [tradeId])
  return (await tx.query(DECIDE, [id, at])).length > 0
}
