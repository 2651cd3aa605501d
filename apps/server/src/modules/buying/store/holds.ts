// SQL of deliveries that can still be taken back.
import { type Queryable, sql } from '#infra/db'

const HASTEN_HOLDS = sql(
  'trading.hasten_holds',
  `update trading.item i set due_at = $2 from trading.trade t
   where t.id = i.trade_id and i.status = 'hold' and i.work = 'follow' and i.due_at > $2
     and t.platform_id = (select reversed.platform_id from trading.trade reversed where reversed.id = $1)`,
)
/**
 * A reversal takes back everything that an account of the platform was given in its window, so one that
 * is seen makes all open holds of that account due at once, whoever bought for it. Finds them among what
 * is under way, without an index of its own: it happens rarely, and every index costs each buy.
 */
export async function hastenHolds(db: Queryable, tradeId: string, at: Date): Promise<void> {
  await db.query(HASTEN_HOLDS, [tradeId, at])
}
