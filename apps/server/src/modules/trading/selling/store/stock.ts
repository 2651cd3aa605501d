import { type Queryable, sql } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { StockItem } from '../item.ts'

const LIST_STOCK = sql(
  'selling.list_stock',
  `select item_id, bot_id, asset_id, market_hash_name, cost, currency, cost_usd, acquired_at, unlocks_at, state
   from selling.stock where $1::text is null or state = $1 order by acquired_at desc, item_id limit $2`,
)

interface StockRow {
  item_id: string
  bot_id: string
  asset_id: string
  market_hash_name: string
  cost: Cents
  currency: Currency
  cost_usd: Cents
  acquired_at: Date
  unlocks_at: Date
  state: StockItem['state']
}

/** What the bots bought, the newest first. */
export async function listStock(
  db: Queryable,
  { state, limit }: { state: string | null; limit: number },
): Promise<StockItem[]> {
  const rows = await db.query<StockRow>(LIST_STOCK, [state, limit])
  return rows.map((row) => ({
    itemId: row.item_id,
    botId: row.bot_id,
    assetId: row.asset_id,
    marketHashName: row.market_hash_name,
    cost: cents(row.cost),
    currency: row.currency,
    costUsd: cents(row.cost_usd),
    acquiredAt: row.acquired_at,
    unlocksAt: row.unlocks_at,
    state: row.state,
  }))
}
