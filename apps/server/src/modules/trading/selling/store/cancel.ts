import { sql, type Tx } from '#infra/database/db'
import type { Status } from '#trades'

export interface LockedItem {
  readonly id: string
  readonly status: Status
  /** An offer carries it, or is about to, or may do so after a restore. */
  readonly isCarried: boolean
}

const LOCK = sql('selling.lock', 'select tenant_id from trades.lock_trade($1)')
const LIST_ITEMS = sql(
  'selling.list_items',
  `select i.id, i.status, s.offer_intent_id is not null or sell.held_back "isCarried"
   from trades.items_of($1) i join selling.item s on s.id = i.id join selling.sell sell on sell.trade_id = s.trade_id
   order by i.position`,
)
/** The items of a sell under the lock of all its steps: what is read stays true until the commit. */
export async function lockItems(tx: Tx, tradeId: string): Promise<LockedItem[]> {
  await tx.query(LOCK, [tradeId])
  return tx.query<LockedItem>(LIST_ITEMS, [tradeId])
}
