// SQL of deliveries that can still be taken back.
import { type Queryable, sql } from '#infra/database/db'

export const EXPEDITE_HOLDS = sql(
  'buying.expedite_holds',
  `update buying.item set due_at = $2, leased_until = null
   where held_by = trades.platform_of($1) and work = 'follow' and greatest(due_at, leased_until) > $2`,
)
/**
 * A reversal takes back everything that an account of the platform was given in its window, so one that
 * is seen makes all open holds of that account due at once, whichever account bought for it. It reads
 * these alone.
 */
export async function expediteHolds(db: Queryable, tradeId: string, at: Date): Promise<void> {
  await db.query(EXPEDITE_HOLDS, [tradeId, at])
}

const EXPEDITE_ITEMS = sql(
  'buying.expedite_items',
  `update buying.item set due_at = $2, leased_until = null
   where id = any ($1::uuid[]) and work = 'follow' and greatest(due_at, leased_until) > $2`,
)
/** Makes items due now, because something says that their orders have moved. */
export async function expediteItems(
  db: Queryable,
  itemIds: readonly string[],
  at: Date,
): Promise<void> {
  if (itemIds.length > 0) await db.query(EXPEDITE_ITEMS, [itemIds, at])
}
