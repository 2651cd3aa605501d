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
const READ_REQUESTS = sql(
  'trades.read_requests',
  `select id, request_id "requestId" from trades.trade
   where id = any ($1::uuid[]) and request_id is not null limit 1000`,
)
/** By the ids of trades, the requests that made them, as far as they are known; at most 1000. */
export async function readRequestIds(
  db: Queryable,
  tradeIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; requestId: string }>(READ_REQUESTS, [tradeIds])
  return new Map(rows.map(({ id, requestId }) => [id, requestId]))
}

/** Whose trade it is, and of which kind; null when there is none. */
export async function findTradeHead(db: Queryable, tradeId: string): Promise<TradeHead | null> {
  const [head] = await db.query<TradeHead>(READ_HEAD, [tradeId])
  return head ?? null
}
