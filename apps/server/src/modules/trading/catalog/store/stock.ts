// SQL of what is for sale of each item.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { Delivery } from '../item.ts'
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

const nowOf = (delivery: Delivery): string => `
  case when s.${delivery}_count > 0 then catalog.cheapest_mills(w.item_id, m.id, '${delivery}') end
    as ${delivery}`

const COUNTED_STOCK = sql(
  'catalog_counted_stock',
  `with wanted as materialized (
     select w.item_id, coalesce(sum(s.standard_count + s.instant_count), 0) > $2 as is_large
     from unnest($1::text[]) w (item_id) left join catalog.stock s on s.item_id = w.item_id
     group by w.item_id)
   select wanted.item_id, m.id market, ${COUNTS}
   from (select item_id from wanted where not is_large) wanted
   cross join catalog.market m
   left join catalog.listing l
     on l.item_id = wanted.item_id and l.market = m.id and l.live and not l.taken
   group by wanted.item_id, m.id
   union all
   select w.item_id, m.id, now.standard, now.instant,
     case when now.standard is null then 0 else s.standard_count end,
     case when now.instant is null then 0 else s.instant_count end
   from wanted w cross join catalog.market m
   join catalog.stock s on s.item_id = w.item_id and s.market = m.id
   cross join lateral (select ${nowOf('standard')}, ${nowOf('instant')}) now
   where w.is_large`,
)

/** Listings of an item. To count twenty thousand takes 17 ms, and each buy of one would. */
export const COUNTED_MOST = 200

/**
 * The stock of the items as their listings are now, on every market; the table follows later. Of an item with
 * more than two hundred listings the cheapest prices are those of now, and the counts those of the table.
 */
export async function countStock(
  db: Queryable,
  itemIds: readonly string[],
): Promise<MarketStock[]> {
  const rows = await db.query<StockRow>(COUNTED_STOCK, [itemIds, COUNTED_MOST])
  return rows.map(stockOf)
}

// Counted anew: what buys took or gave back is known by its listing alone.
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

/** What a batch did to the stock of an item on its market: 0 when a listing only has another price. */
export interface StockMove {
  readonly itemId: string
  readonly delivery: Delivery
  readonly by: -1 | 0 | 1
  /** Of one that arrived. */
  readonly priceMills?: bigint
}

const floorOf = (delivery: Delivery): string => `
  case when c.${delivery}_count = 0 then null
    when c.is_looked_up then catalog.cheapest_mills(c.item_id, $1, '${delivery}')
    else least(c.${delivery}_mills, c.${delivery}_arrived) end`

const AGREES = `
  standard_count >= 0 and instant_count >= 0 and (standard_count > 0) = (standard_mills is not null)
  and (instant_count > 0) = (instant_mills is not null)`

const ADJUST_STOCK = sql(
  'catalog_adjust_stock',
  `with counted as materialized (
     select m.item_id, m.standard_arrived, m.instant_arrived, m.is_looked_up,
       s.standard_mills, s.instant_mills,
       coalesce(s.standard_count, 0) + m.standard as standard_count,
       coalesce(s.instant_count, 0) + m.instant as instant_count
     from unnest($3::text[], $4::integer[], $5::integer[], $6::bigint[], $7::bigint[], $8::boolean[])
       as m (item_id, standard, instant, standard_arrived, instant_arrived, is_looked_up)
     left join catalog.stock s on s.item_id = m.item_id and s.market = $1),
   adjusted as materialized (
     select c.item_id, ${floorOf('standard')} standard_mills, ${floorOf('instant')} instant_mills,
       c.standard_count, c.instant_count
     from counted c),
   written as (
     insert into catalog.stock as s (item_id, market, standard_mills, instant_mills, standard_count,
       instant_count, changed_seq)
     select item_id, $1, standard_mills, instant_mills, standard_count, instant_count, $2
     from adjusted where ${AGREES}
     on conflict (item_id, market) do update set
       standard_mills = excluded.standard_mills, instant_mills = excluded.instant_mills,
       standard_count = excluded.standard_count, instant_count = excluded.instant_count,
       changed_seq = excluded.changed_seq
     where (s.standard_mills, s.instant_mills, s.standard_count, s.instant_count) is distinct from
       (excluded.standard_mills, excluded.instant_mills, excluded.standard_count,
        excluded.instant_count))
   select item_id from adjusted where not (${AGREES})`,
)

/**
 * Brings the stock of the items up to what a batch did to their listings on its market. Batches come one at
 * a time and know the row that they change, so a count is off only by what buys did since it was last
 * counted: of these there are rows for `drainTaken`, and the items are then counted anew. So are those whose
 * count and cheapest price do not agree. Counting anew what a batch touched took most of a whole read: half
 * of all listings are of a few names, which nearly every batch touches.
 */
export async function adjustStock(
  tx: Tx,
  { seq, market }: { readonly seq: bigint; readonly market: MarketId },
  moves: readonly StockMove[],
): Promise<void> {
  if (moves.length === 0) return
  const sums = sumUp(moves)
  const rows = await tx.query<{ item_id: string }>(ADJUST_STOCK, [
    market,
    seq,
    [...sums.keys()],
    Array.from(sums.values(), ({ standard }) => standard.by),
    Array.from(sums.values(), ({ instant }) => instant.by),
    Array.from(sums.values(), ({ standard }) => standard.arrived),
    Array.from(sums.values(), ({ instant }) => instant.arrived),
    Array.from(sums.values(), ({ isLookedUp }) => isLookedUp),
  ])
  await recountStock(
    tx,
    seq,
    rows.map(({ item_id }) => item_id),
  )
}

interface SumOfMoves {
  readonly standard: { by: number; arrived: bigint | null }
  readonly instant: { by: number; arrived: bigint | null }
  /** The cheapest may have gone, or become dearer. */
  isLookedUp: boolean
}

function sumUp(moves: readonly StockMove[]): Map<string, SumOfMoves> {
  const sums = new Map<string, SumOfMoves>()
  for (const { itemId, delivery, by, priceMills } of moves) {
    let sum = sums.get(itemId)
    if (sum === undefined) {
      const nothing = { by: 0, arrived: null }
      sum = { standard: { ...nothing }, instant: { ...nothing }, isLookedUp: false }
      sums.set(itemId, sum)
    }
    const side = sum[delivery]
    side.by += by
    if (priceMills === undefined) sum.isLookedUp = true
    else if (side.arrived === null || priceMills < side.arrived) side.arrived = priceMills
  }
  return sums
}

const HAS_TAKEN = sql(
  'catalog_has_taken_news',
  'select exists (select from catalog.taken_news) as found',
)

const TAKE_CHANGES = sql(
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
  const [row] = await db.query<{ found: boolean }>(HAS_TAKEN)
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
    TAKE_CHANGES,
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
