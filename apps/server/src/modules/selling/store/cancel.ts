import { sql, type Tx } from '#infra/db'
import type { Status } from '#trades'

export interface CancelableItem {
  readonly id: string
  readonly status: Status
  /** An offer carries it, or is about to. */
  readonly isCarried: boolean
}

const LOCK = sql('selling.lock', 'select merchant_id from trading.lock_sell($1)')
const LIST_CANCELABLE = sql(
  'selling.list_cancelable',
  `select id, status, tag is not null "isCarried" from selling.item where trade_id = $1 order by position`,
)
/** The items of a sell under the lock of all its steps: what is read stays true until the commit. */
export async function listCancelable(tx: Tx, tradeId: string): Promise<CancelableItem[]> {
  await tx.query(LOCK, [tradeId])
  return tx.query<CancelableItem>(LIST_CANCELABLE, [tradeId])
}
