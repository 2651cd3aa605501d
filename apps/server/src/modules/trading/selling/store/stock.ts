import { columns, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { cents } from '#kernel/money'
import type { StockItem } from '../item.ts'

const STOCK_ITEM = columns<StockItem>('', {
  itemId: text,
  botId: text,
  assetId: text,
  marketHashName: text,
  cost: cents,
  currency: text,
  costUsd: cents,
  acquiredAt: time,
  unlocksAt: time,
  state: text,
})

const LIST_STOCK = sql(
  'selling.list_stock',
  `select ${STOCK_ITEM.list}
   from selling.stock where $1::text is null or state = $1 order by acquired_at desc, item_id limit $2`,
)
/** What the bots bought, the newest first. */
export const listStock = (
  db: Queryable,
  { state, limit }: { state: string | null; limit: number },
): Promise<StockItem[]> => STOCK_ITEM.all(db, LIST_STOCK, [state, limit])
