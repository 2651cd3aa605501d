// SQL of deliveries that can still be taken back.
import { type Queryable, sql } from '#infra/db'

const EXPEDITE_HOLDS = sql(
  'buying.expedite_holds',
  `update buying.item i set due_at = $2
   from trades.items_by_id(array(select id from buying.item where work = 'follow' and due_at > $2)) t
   where t.id = i.id and t.status = 'hold' and i.work = 'follow' and t.platform_id = trades.platform_of($1)`,
)
/**
 * A reversal takes back everything that an account of the platform was given in its window, so one that
 * is seen makes all open holds of that account due at once, whichever account bought for it. Finds them among
 * what is under way, without an index of its own: it happens rarely, and every index costs each buy.
 */
export async function expediteHolds(db: Queryable, tradeId: string, at: Date): Promise<void> {
  await db.query(EXPEDITE_HOLDS, [tradeId, at])
}

const EXPEDITE_ITEMS = sql(
  'buying.expedite_items',
  `update buying.item set due_at = $2 where id = any ($1::uuid[]) and work = 'follow' and due_at > $2`,
)
/** Makes items due now, because something says that their orders have moved. */
export async function expediteItems(
  db: Queryable,
  itemIds: readonly string[],
  at: Date,
): Promise<void> {
  if (itemIds.length > 0) await db.query(EXPEDITE_ITEMS, [itemIds, at])
}
