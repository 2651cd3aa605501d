// What was bought by one trade, as it was when it was accepted.
import { type Queryable, sql } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { ItemDescription } from '#trades'
import type { MarketId } from '../ports.ts'

export interface BoughtItem {
  readonly listingId: bigint
  readonly market: MarketId
  readonly catalogItemId: string
  readonly description: ItemDescription
  /** What the market asked. */
  readonly sourcingMills: Mills
}

const BOUGHT = sql(
  'buying.bought',
  `select abs(b.listing_id) "listingId", b.market, i.catalog_item_id "catalogItemId", i.description,
     b.sourcing_mills "sourcingMills"
   from trades.described_items($1) i join buying.item b on b.id = i.id order by i."position"`,
)

export async function readBought(db: Queryable, tradeId: string): Promise<BoughtItem[]> {
  const rows = await db.query<BoughtItem & { sourcingMills: bigint }>(BOUGHT, [tradeId])
  return rows.map((row) => ({ ...row, sourcingMills: mills(row.sourcingMills) }))
}

const MARKETS = sql(
  'buying.markets_of_items',
  'select b.id, b.market from buying.item b where b.id = any ($1::uuid[])',
)
/** At which market each of these items was ordered last; of items of sells nothing. */
export async function readMarketsOfItems(
  db: Queryable,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, MarketId>> {
  if (itemIds.length === 0) return new Map()
  const rows = await db.query<{ id: string; market: MarketId }>(MARKETS, [itemIds])
  return new Map(rows.map(({ id, market }) => [id, market]))
}
