// SQL of whose a trade is.
import { type Queryable, sql } from '#infra/database/db'

export interface TradeHead {
  readonly type: 'buy' | 'sell'
  readonly accountId: string
  /** Of the request that made it. */
  readonly requestId: string | null
}

const READ_HEAD = sql(
  'trades.read_head',
  'select type, account_id "accountId", request_id "requestId" from trades.trade where id = $1',
)
/** Whose trade it is, and of which kind; null when there is none. */
export async function findTradeHead(db: Queryable, tradeId: string): Promise<TradeHead | null> {
  const [head] = await db.query<TradeHead>(READ_HEAD, [tradeId])
  return head ?? null
}
