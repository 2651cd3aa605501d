// SQL that reads listings.

import { type Queryable, sql } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import { fadeOf } from '../fade.ts'
import { type Category, type Delivery, exteriorOf } from '../item.ts'
import type { Listing, ListingDescription, ListingDetails, ListingForSale } from '../listing.ts'
import type { MarketId } from '../ports.ts'

const LISTING_COLUMNS = `
  l.id, l.market, l.raw_id, l.item_id, l.price_mills, l.delivery, l.wear_text, l.wear,
  l.paint_seed, l.details, l.live, l.taken, l.changed_at, m.enabled, m.online, m.cover_mills,
  i.game, i.market_hash_name, i.phase, i.name, i.type, i.item_type, i.weapon, i.rarity, i.rarity_color,
  i.category, i.collection, i.exterior, i.float_min, i.icon_url, i.paint_index, i.reference_price_mills`
const LISTING_TABLES = `
  catalog.listing l
  join catalog.item i on i.id = l.item_id
  join catalog.market m on m.id = l.market`
const FOR_SALE =
  'l.live and not l.taken and m.enabled and m.online and coalesce(m.cover_mills, 1) > 0'

// Behind a select the planner does not see how many ids there are, and keeps one plan: planning each call
// anew took longer than the call.
const LISTINGS_BY_ID = sql(
  'catalog_listings_by_id',
  `select ${LISTING_COLUMNS} from ${LISTING_TABLES} where l.id = any ((select $1::bigint[])::bigint[])`,
)

const LISTINGS_BY_RAW_ID = sql(
  'catalog_listings_by_raw_id',
  `select ${LISTING_COLUMNS}
   from unnest($1::text[], $2::text[]) wanted (market, raw_id)
   join catalog.listing l on l.market = wanted.market and l.raw_id = wanted.raw_id
   join catalog.item i on i.id = l.item_id
   join catalog.market m on m.id = l.market`,
)

/** In the order of `ids`; null where there is no such listing. */
export async function findListings(
  db: Queryable,
  ids: readonly bigint[],
): Promise<(ListingForSale | null)[]> {
  const rows = await db.query<ListingRow>(LISTINGS_BY_ID, [ids])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => toListing(byId.get(id)))
}

export interface RawId {
  readonly market: MarketId
  readonly rawId: string
}

/** In the order of `rawIds`; null where there is no such listing. */
export async function findListingsByRawId(
  db: Queryable,
  rawIds: readonly RawId[],
): Promise<(ListingForSale | null)[]> {
  const rows = await db.query<ListingRow>(LISTINGS_BY_RAW_ID, [
    rawIds.map((wanted) => wanted.market),
    rawIds.map((wanted) => wanted.rawId),
  ])
  const byRawId = new Map(rows.map((row) => [`${row.market}:${row.raw_id}`, row]))
  return rawIds.map(({ market, rawId }) => toListing(byRawId.get(`${market}:${rawId}`)))
}

const CHEAPEST_OF_ITEMS = sql(
  'catalog_cheapest_of_items',
  `select cheapest.* from unnest($1::text[]) wanted (item_id)
   cross join lateral (
     select ${LISTING_COLUMNS} from ${LISTING_TABLES}
     where l.item_id = wanted.item_id and ${FOR_SALE}
     order by l.price_mills, l.id limit 1) cheapest
   order by cheapest.changed_at desc, cheapest.id desc`,
)

/** The cheapest listing of each item that has one, the newest change first. */
export async function listCheapest(db: Queryable, itemIds: readonly string[]): Promise<Listing[]> {
  const rows = await db.query<ListingRow>(CHEAPEST_OF_ITEMS, [itemIds])
  return rows.flatMap((row) => toListing(row) ?? [])
}

/** What an order to buy takes of an item; the cheapest first. */
export interface FittingQuery extends SellerQuery {
  readonly minWear: number | null
  readonly maxWear: number | null
  /** Null: any. */
  readonly paintSeeds: readonly number[] | null
  /** Ids of listings that are not wanted. */
  readonly except: readonly string[]
}

// Lists of lists are sent as texts: the database knows only those of equal length.
const FITTING = sql(
  'catalog_fitting_listings',
  `select w.position::int, fitting.id
   from unnest($1::text[], $2::bigint[], $3::text[], $4::float8[], $5::float8[], $6::text[], $7::text[])
     with ordinality w (item_id, ceiling, delivery, min_wear, max_wear, seeds, except_ids, position)
   cross join lateral (
     select l.id, l.price_mills from catalog.listing l join catalog.market m on m.id = l.market
     where l.item_id = w.item_id and l.price_mills <= w.ceiling and ${FOR_SALE}
       and l.price_mills <= coalesce(m.cover_mills, l.price_mills)
       and (w.delivery <> 'instant' or l.delivery = 'instant')
       and (w.min_wear is null or l.wear >= w.min_wear) and (w.max_wear is null or l.wear <= w.max_wear)
       and (w.seeds is null or l.paint_seed = any (w.seeds::integer[]))
       and l.id <> all (w.except_ids::bigint[])
     order by l.price_mills, l.id limit $8) fitting
   order by w.position, fitting.price_mills, fitting.id`,
)
/** Of each query the ids of at most `limit` listings that can be bought now, the cheapest first. */
export async function findFitting(
  db: Queryable,
  queries: readonly FittingQuery[],
  limit: number,
): Promise<bigint[][]> {
  const of = <T>(value: (query: FittingQuery) => T): T[] => queries.map(value)
  const rows = await db.query<{ position: number; id: bigint }>(FITTING, [
    ...[of((q) => q.itemId), of((q) => q.ceilingMills), of((q) => q.delivery)],
    ...[of((q) => q.minWear), of((q) => q.maxWear)],
    of(({ paintSeeds }) => (paintSeeds === null ? null : `{${paintSeeds.join(',')}}`)),
    of(({ except }) => `{${except.join(',')}}`),
    limit,
  ])
  const found: bigint[][] = queries.map(() => [])
  for (const { position, id } of rows) found[position - 1]?.push(id)
  return found
}

const SELLER_OF_ITEM = sql(
  'catalog_seller_of_item',
  `select m.id as market,
     m.enabled and m.online and cheapest.mills <= coalesce(m.cover_mills, cheapest.mills) as available
   from catalog.market m cross join lateral (
     select min(l.price_mills) mills from catalog.listing l
     where l.item_id = $1 and l.market = m.id and l.live and not l.taken and l.price_mills <= $2
       and ($3 <> 'instant' or l.delivery = 'instant')) cheapest
   where cheapest.mills is not null
   order by available desc, m.id limit 1`,
)

export interface SellerQuery {
  readonly itemId: string
  /** The most that a market may ask. */
  readonly ceilingMills: Mills
  /** `standard` is any listing, `instant` only automatic delivery. */
  readonly delivery: Delivery
}

export interface Seller {
  readonly market: MarketId
  readonly available: boolean
}

/** A market that has the item at this price, one that is up if there is any; null when none has. */
export async function findSeller(
  db: Queryable,
  { itemId, ceilingMills, delivery }: SellerQuery,
): Promise<Seller | null> {
  const [seller] = await db.query<Seller>(SELLER_OF_ITEM, [itemId, ceilingMills, delivery])
  return seller ?? null
}

const IDS_OF_MARKET = sql(
  'catalog_ids_of_market',
  `select id from catalog.listing where market = $1 and id > $2 and live and not taken
   order by id limit $3`,
)

/** What a market has for sale when it is up, after that id, in the order of ids. */
export async function listIdsOfMarket(
  db: Queryable,
  { market, after, limit }: { market: MarketId; after: bigint; limit: number },
): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(IDS_OF_MARKET, [market, after, limit])
  return rows.map(({ id }) => id)
}

interface ListingRow {
  id: bigint
  market: MarketId
  raw_id: string
  item_id: string
  price_mills: bigint
  delivery: Delivery
  wear_text: string | null
  wear: number | null
  paint_seed: number | null
  details: ListingDetails
  live: boolean
  taken: boolean
  changed_at: Date
  enabled: boolean
  cover_mills: bigint | null
  online: boolean
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
  icon_url: string
  paint_index: number | null
  reference_price_mills: bigint
}

function toListing(row: ListingRow | undefined): ListingForSale | null {
  if (row === undefined) return null
  return {
    id: row.id,
    market: row.market,
    rawId: row.raw_id,
    itemId: row.item_id,
    game: row.game,
    priceMills: mills(row.price_mills),
    referenceMills: row.reference_price_mills === 0n ? null : mills(row.reference_price_mills),
    description: describe(row),
    itemType: row.item_type,
    weapon: row.weapon,
    collection: row.collection,
    category: row.category,
    paintIndex: row.details.paintIndex ?? row.paint_index,
    fade: fadeOf(row.market_hash_name, row.weapon, row.paint_seed),
    inspectToken: row.details.inspectToken,
    assetId: row.details.assetId,
    classId: row.details.classId,
    instanceId: row.details.instanceId,
    changedAt: row.changed_at,
    available: row.live && !row.taken,
    marketAvailable:
      row.enabled && row.online && (row.cover_mills === null || row.price_mills <= row.cover_mills),
  }
}

const describe = (row: ListingRow): ListingDescription => ({
  name: row.name,
  marketHashName: row.market_hash_name,
  type: row.type,
  iconUrl: row.icon_url,
  // A thing with wear but no exterior in its name (a knife without a finish) has that of its wear.
  exterior:
    row.exterior ?? (row.float_min !== null && row.wear !== null ? exteriorOf(row.wear) : null),
  rarity: row.rarity,
  color: row.rarity_color,
  phase: row.phase,
  wear: row.wear_text,
  paintSeed: row.paint_seed,
  stickers: row.details.stickers,
  charm: row.details.charm,
  delivery: row.delivery,
})
