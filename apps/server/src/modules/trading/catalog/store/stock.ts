// SQL of what is for sale of each item.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'

const CHANGED_STOCK = sql(
  'catalog_changed_stock',
  `select item_id, market, standard_mills, instant_mills, standard_count, instant_count, changed_seq
   from catalog.stock where changed_seq > $1 order by changed_seq`,
)

/** What one market has of an item. */
export interface MarketStock {
  readonly itemId: string
  readonly market: MarketId
  /** Cheapest with standard delivery. */
  readonly standard: Mills | null
  /** Cheapest with automatic delivery. */
  readonly instant: Mills | null
  readonly standardCount: number
  readonly instantCount: number
}

export interface StockChange extends MarketStock {
  readonly seq: bigint
}

export async function listChangedStock(db: Queryable, after: bigint): Promise<StockChange[]> {
  const rows = await db.query<StockRow & { changed_seq: bigint }>(CHANGED_STOCK, [after])
  return rows.map((row) => ({ ...stockOf(row), seq: row.changed_seq }))
}

const COUNTS = `
  min(l.price_mills) filter (where l.delivery = 'standard') standard_mills,
  min(l.price_mills) filter (where l.delivery = 'instant') instant_mills,
  count(*) filter (where l.delivery = 'standard')::integer standard_count,
  count(*) filter (where l.delivery = 'instant')::integer instant_count`
const LISTINGS_OF_ITEMS = `
  unnest($1::text[]) wanted (item_id)
  cross join catalog.market m
  left join catalog.listing l
    on l.item_id = wanted.item_id and l.market = m.id and l.live and not l.taken`

const COUNTED_STOCK = sql(
  'catalog_counted_stock',
  `select wanted.item_id, m.id market, ${COUNTS} from ${LISTINGS_OF_ITEMS} group by wanted.item_id, m.id`,
)

/** The stock of the items as their listings are now, on every market; the table follows later. */
export async function countStock(
  db: Queryable,
  itemIds: readonly string[],
): Promise<MarketStock[]> {
  const rows = await db.query<StockRow>(COUNTED_STOCK, [itemIds])
  return rows.map(stockOf)
}

// Counted anew rather than adjusted: a count cannot drift, and the lists are short.
const RECOUNT_STOCK = sql(
  'catalog_recount_stock',
  `insert into catalog.stock as s (item_id, market, standard_mills, instant_mills, standard_count,
     instant_count, changed_seq)
   select wanted.item_id, m.id, ${COUNTS}, $2 from ${LISTINGS_OF_ITEMS} group by wanted.item_id, m.id
   on conflict (item_id, market) do update set
     standard_mills = excluded.standard_mills, instant_mills = excluded.instant_mills,
     standard_count = excluded.standard_count, instant_count = excluded.instant_count,
     changed_seq = excluded.changed_seq
   where (s.standard_mills, s.instant_mills, s.standard_count, s.instant_count) is distinct from
     (excluded.standard_mills, excluded.instant_mills, excluded.standard_count,
      excluded.instant_count)`,
)

/** Counts the stock of the items from their listings, as this transaction sees them. */
export async function recountStock(tx: Tx, seq: bigint, itemIds: readonly string[]): Promise<void> {
  if (itemIds.length === 0) return
  await tx.query(RECOUNT_STOCK, [[...new Set(itemIds)], seq])
}

const HAS_TAKEN_NEWS = sql(
  'catalog_has_taken_news',
  'select exists (select from catalog.taken_news) as found',
)

const TAKE_NEWS = sql(
  'catalog_take_news',
  `with taken as (
     delete from catalog.taken_news where ctid = any (array(
       select ctid from catalog.taken_news limit $1 for update skip locked))
     returning listing_id)
   select count(*) as count, coalesce(array_agg(distinct l.item_id) filter (where l.id is not null), '{}')
     as item_ids, coalesce(array_agg(distinct listing_id), '{}')::text[] as listing_ids
   from taken left join catalog.listing l on l.id = taken.listing_id`,
)

export async function hasTakenRows(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_TAKEN_NEWS)
  return row?.found ?? false
}

export interface TakenRows {
  readonly itemIds: readonly string[]
  readonly listingIds: readonly string[]
  /** How many rows there were. */
  readonly count: number
}

/** Empties the log of listings taken or given back. */
export async function drainTaken(tx: Tx, limit: number): Promise<TakenRows> {
  const [row] = await tx.query<{ count: bigint; item_ids: string[]; listing_ids: string[] }>(
    TAKE_NEWS,
    [limit],
  )
  return {
    itemIds: row?.item_ids ?? [],
    listingIds: row?.listing_ids ?? [],
    count: Number(row?.count ?? 0n),
  }
}

interface StockRow {
  item_id: string
  market: MarketId
  standard_mills: bigint | null
  instant_mills: bigint | null
  standard_count: number
  instant_count: number
}

const stockOf = (row: StockRow): MarketStock => ({
  itemId: row.item_id,
  market: row.market,
  standard: row.standard_mills === null ? null : mills(row.standard_mills),
  instant: row.instant_mills === null ? null : mills(row.instant_mills),
  standardCount: row.standard_count,
  instantCount: row.instant_count,
})
