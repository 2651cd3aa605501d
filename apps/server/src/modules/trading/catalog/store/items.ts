// SQL of the things that exist.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import { cents, mills } from '#kernel/money'
import type { CatalogItem, Category } from '../item.ts'
import type { NamedItem } from '../item-names.ts'
import type { SourceItem } from '../ports.ts'

const CHANGED_ITEMS = sql(
  'catalog_changed_items',
  `select id, game, market_hash_name, phase, name, type, item_type, weapon, rarity, rarity_color, category,
     collection, exterior, float_min, float_max, icon_url, def_index, paint_index, reference_price_mills,
     quotable, volume, own_sales, sales_7d, last_sale_cents, last_sale_at, listed, stub, changed_seq
   from catalog.item where changed_seq > $1 order by changed_seq, id`,
)

export interface ItemChange {
  readonly item: CatalogItem
  /** False when the item source no longer names it. */
  readonly listed: boolean
  /** Known by its name alone. */
  readonly stub: boolean
  readonly seq: bigint
}

export async function listChangedItems(db: Queryable, after: bigint): Promise<ItemChange[]> {
  const rows = await db.query<ItemRow>(CHANGED_ITEMS, [after])
  return rows.map((row) => ({
    item: toItem(row),
    listed: row.listed,
    stub: row.stub,
    seq: row.changed_seq,
  }))
}

// A figure that the list does not say stays as it was, and so does a price where prices are read apart. Where
// they are not, the list is the operator's own word on what may be paid.
const UPSERT_ITEMS = sql(
  'catalog_upsert_items',
  `with incoming as (
     select n.id, n.market_hash_name, n.phase, n.name, n.type, n.item_type, n.weapon, n.rarity,
       n.rarity_color, n.category, n.collection, n.exterior, n.float_min, n.float_max, n.icon_url,
       n.def_index, n.paint_index,
       case when $22 and i.reference_price_mills > 0 then i.reference_price_mills
         else coalesce(n.reference_price_mills, i.reference_price_mills, 0) end as reference_price_mills,
       case when $22 and i.reference_price_mills > 0 then i.volume
         else coalesce(n.volume, i.volume, 0) end as volume,
       case when $22 then coalesce(i.quotable, false)
         else coalesce(n.reference_price_mills > 0, i.quotable, false) end as quotable
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::float8[], $16::float8[],
         $17::text[], $18::integer[], $19::integer[], $20::bigint[], $21::integer[])
       as n (id, market_hash_name, phase, name, type, item_type, weapon, rarity, rarity_color,
         category, collection, exterior, float_min, float_max, icon_url, def_index, paint_index,
         reference_price_mills, volume)
     left join catalog.item i on i.id = n.id),
   written as (
     insert into catalog.item as i (id, game, market_hash_name, phase, name, type, item_type, weapon,
       rarity, rarity_color, category, collection, exterior, float_min, float_max, icon_url, def_index,
       paint_index, reference_price_mills, volume, quotable, changed_seq)
     select id, $2, market_hash_name, phase, name, type, item_type, weapon, rarity, rarity_color,
       category, collection, exterior, float_min, float_max, icon_url, def_index, paint_index,
       reference_price_mills, volume, quotable, $1
     from incoming
     on conflict (id) do update set
       name = excluded.name, type = excluded.type, item_type = excluded.item_type,
       weapon = excluded.weapon, rarity = excluded.rarity, rarity_color = excluded.rarity_color,
       category = excluded.category, collection = excluded.collection, exterior = excluded.exterior,
       float_min = excluded.float_min, float_max = excluded.float_max, icon_url = excluded.icon_url,
       def_index = excluded.def_index, paint_index = excluded.paint_index,
       reference_price_mills = excluded.reference_price_mills, volume = excluded.volume,
       quotable = excluded.quotable, listed = true, stub = false, changed_seq = excluded.changed_seq
     where (i.name, i.type, i.item_type, i.weapon, i.rarity, i.rarity_color, i.category, i.collection,
         i.exterior, i.float_min, i.float_max, i.icon_url, i.def_index, i.paint_index,
         i.reference_price_mills, i.volume, i.quotable, i.listed, i.stub) is distinct from
       (excluded.name, excluded.type, excluded.item_type, excluded.weapon, excluded.rarity,
         excluded.rarity_color, excluded.category, excluded.collection, excluded.exterior,
         excluded.float_min, excluded.float_max, excluded.icon_url, excluded.def_index,
         excluded.paint_index, excluded.reference_price_mills, excluded.volume, excluded.quotable,
         true, false)
     returning i.id)
   select count(*) as written from written`,
)

/** Writes items that are new or differ; answers how many. */
export async function upsertItems(
  tx: Tx,
  {
    seq,
    game,
    pricesApart,
  }: {
    readonly seq: bigint
    readonly game: string
    /** Prices come from lists of their own. */
    readonly pricesApart: boolean
  },
  items: readonly (SourceItem & { readonly id: string })[],
): Promise<number> {
  if (items.length === 0) return 0
  const [row] = await tx.query<{ written: bigint }>(UPSERT_ITEMS, [
    seq,
    game,
    items.map((item) => item.id),
    items.map((item) => item.marketHashName),
    items.map((item) => item.phase),
    items.map((item) => item.name),
    items.map((item) => item.type),
    items.map((item) => item.itemType),
    items.map((item) => item.weapon),
    items.map((item) => item.rarity),
    items.map((item) => item.rarityColor),
    items.map((item) => item.category),
    items.map((item) => item.collection),
    items.map((item) => item.exterior),
    items.map((item) => item.floatRange?.[0] ?? null),
    items.map((item) => item.floatRange?.[1] ?? null),
    items.map((item) => item.iconUrl),
    items.map((item) => item.defIndex),
    items.map((item) => item.paintIndex),
    items.map((item) => item.referencePriceMills),
    items.map((item) => item.volume),
    pricesApart,
  ])
  return Number(row?.written ?? 0n)
}

const UNLIST_ITEMS = sql(
  'catalog_unlist_items',
  `update catalog.item i set listed = false, changed_seq = $1
   where i.game = $2 and i.listed
     and not exists (select from unnest($3::text[]) kept (id) where kept.id = i.id)
     and (not i.stub or exists (
       select from catalog.item known
       where known.game = i.game and known.market_hash_name = i.market_hash_name
         and known.listed and not known.stub))
   returning i.id`,
)

/**
 * Hides the items that the source no longer names; answers how many. No list names a stub: it goes when the
 * list has its name in another form, with its phases.
 */
export async function unlistItems(
  tx: Tx,
  { seq, game }: { readonly seq: bigint; readonly game: string },
  keptIds: readonly string[],
): Promise<number> {
  return (await tx.query(UNLIST_ITEMS, [seq, game, keptIds])).length
}

const ITEM_NAMES = sql(
  'catalog_item_names',
  'select id, market_hash_name, phase, paint_index, listed from catalog.item',
)

export async function listItemNames(db: Queryable): Promise<NamedItem[]> {
  const rows = await db.query<{
    id: string
    market_hash_name: string
    phase: string | null
    paint_index: number | null
    listed: boolean
  }>(ITEM_NAMES)
  return rows.map((row) => ({
    id: row.id,
    marketHashName: row.market_hash_name,
    phase: row.phase,
    paintIndex: row.paint_index,
    listed: row.listed,
  }))
}

const FIND_ITEM_NAME = sql(
  'catalog.find_item_name',
  `select market_hash_name || coalesce(' (' || phase || ')', '') name from catalog.item where id = $1`,
)
/** What an item is called, with its phase; null for an id that is none of the catalogue. */
export async function findItemName(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(FIND_ITEM_NAME, [id])
  return row?.name ?? null
}

const ITEMS_VERSION = sql(
  'catalog_items_version',
  'select coalesce(max(changed_seq), 0) as seq from catalog.item',
)

/** Rises with every change of an item. */
export async function itemsVersion(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ seq: bigint }>(ITEMS_VERSION)
  return row?.seq ?? 0n
}

interface ItemRow {
  id: string
  game: string
  market_hash_name: string
  phase: string | null
  name: string
  type: string
  item_type: string
  weapon: string | null
  rarity: string
  rarity_color: string
  category: Category
  collection: string | null
  exterior: string | null
  float_min: number | null
  float_max: number | null
  icon_url: string
  def_index: number
  paint_index: number | null
  reference_price_mills: bigint
  quotable: boolean
  volume: number
  own_sales: number
  sales_7d: number
  last_sale_cents: bigint | null
  last_sale_at: Date | null
  listed: boolean
  stub: boolean
  changed_seq: bigint
}

function toItem(row: ItemRow): CatalogItem {
  return {
    id: row.id,
    game: row.game,
    marketHashName: row.market_hash_name,
    phase: row.phase,
    name: row.name,
    type: row.type,
    itemType: row.item_type,
    weapon: row.weapon,
    rarity: row.rarity,
    rarityColor: row.rarity_color,
    category: row.category,
    collection: row.collection,
    exterior: row.exterior,
    floatRange:
      row.float_min === null || row.float_max === null ? null : [row.float_min, row.float_max],
    iconUrl: row.icon_url,
    defIndex: row.def_index,
    paintIndex: row.paint_index,
    referenceMills: row.reference_price_mills === 0n ? null : mills(row.reference_price_mills),
    quotable: row.quotable,
    volume: row.volume,
    ownSales: row.own_sales,
    weekSales: row.sales_7d,
    lastSale:
      row.last_sale_cents === null || row.last_sale_at === null
        ? null
        : { cents: cents(row.last_sale_cents), at: row.last_sale_at },
  }
}
