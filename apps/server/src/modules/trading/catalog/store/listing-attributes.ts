// SQL that reads of listings what they are filtered and sorted by.
import { type Queryable, sql } from '#infra/database/db'
import type { Delivery } from '../item.ts'
import type { MarketId } from '../ports.ts'
import type { ListingAttributes } from '../view/listing-table.ts'

// Numbers as the driver reads them quickest: a million rows are read when a process starts.
const ATTRIBUTES = `
  select l.id::float8 as id, l.item_id, l.market, l.price_mills::float8 as mills, l.delivery, l.wear,
    l.paint_seed, case when l.sticker_count > 0 then array(
      select sticker ->> 'name' from jsonb_array_elements(l.details -> 'stickers') sticker) end as stickers
  from catalog.listing l`

const ATTRIBUTES_AFTER = sql(
  'catalog_facts_after',
  `${ATTRIBUTES} where l.live and not l.taken and l.id > $1 order by l.id limit $2`,
)

/** What is offered, whether its market is up or not, with ids above that one, in the order of ids. */
export const listAttributesAfter = async (
  db: Queryable,
  after: number,
  limit: number,
): Promise<ListingAttributes[]> =>
  (await db.query<AttributesRow>(ATTRIBUTES_AFTER, [after, limit])).map(toAttributes)

const ATTRIBUTES_BY_ID = sql(
  'catalog_facts_by_id',
  `${ATTRIBUTES} where l.id = any ((select $1::bigint[])::bigint[]) and l.live and not l.taken`,
)

/** Of those that are offered. */
export const findAttributes = async (
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, ListingAttributes>> =>
  new Map(
    (await db.query<AttributesRow>(ATTRIBUTES_BY_ID, [ids])).map(
      (row) => [row.id, toAttributes(row)] as const,
    ),
  )

interface AttributesRow {
  id: number
  item_id: string
  market: MarketId
  mills: number
  delivery: Delivery
  wear: number | null
  paint_seed: number | null
  stickers: string[] | null
}

const toAttributes = (row: AttributesRow): ListingAttributes => ({
  id: row.id,
  itemId: row.item_id,
  market: row.market,
  mills: row.mills,
  delivery: row.delivery,
  wear: row.wear,
  paintSeed: row.paint_seed,
  stickers: row.stickers ?? NONE,
})

const NONE: readonly string[] = []
