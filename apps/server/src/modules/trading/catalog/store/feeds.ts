// SQL that writes what the markets' feeds say of their listings.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Mills } from '#kernel/money'
import type { Delivery } from '../item.ts'
import type { SaidListing } from '../listing-hash.ts'
import type { MarketId } from '../ports.ts'
import type { StockMove } from './stock.ts'

export interface Batch {
  readonly market: MarketId
  readonly seq: bigint
  readonly at: Date
}

// Rows are locked in the order of their ids before they are written, as a buy of several listings does:
// the two wait for each other instead of deadlocking. A batch of one kind of change does it in the
// statement itself; one of several kinds locks all of its rows first.
const LOCK_LISTINGS = sql(
  'catalog_lock_listings',
  `select from catalog.listing l where l.market = $1 and l.raw_id = any ($2)
   order by l.id for no key update`,
)

/** For a batch that writes listings by more than one statement. */
export async function lockListings(
  tx: Tx,
  market: MarketId,
  rawIds: readonly string[],
): Promise<void> {
  await tx.query(LOCK_LISTINGS, [market, rawIds])
}

const UPDATE_LISTINGS = sql(
  'catalog_update_listings',
  `with incoming as (
     select * from unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::float8[],
       $10::integer[], $11::smallint[], $12::jsonb[], $13::bigint[])
       as incoming (raw_id, item_id, price_mills, delivery, wear_text, wear, paint_seed,
         sticker_count, details, said)),
   target as materialized (
     select l.id, l.item_id as old_item_id, l.delivery as old_delivery, l.live as was_live,
       not l.live or (l.item_id, l.price_mills, l.delivery, l.wear_text, l.paint_seed, l.details)
         is distinct from (incoming.item_id, incoming.price_mills, incoming.delivery,
           incoming.wear_text, incoming.paint_seed, incoming.details) as differs,
       incoming.*
     from incoming join catalog.listing l on l.market = $1 and l.raw_id = incoming.raw_id
     where not l.live
       or (l.item_id, l.price_mills, l.delivery, l.wear_text, l.paint_seed, l.details, l.said)
         is distinct from (incoming.item_id, incoming.price_mills, incoming.delivery,
           incoming.wear_text, incoming.paint_seed, incoming.details, incoming.said)
     order by l.id for no key update of l),
   written as (
     update catalog.listing l set
       item_id = t.item_id, price_mills = t.price_mills,
       delivery = t.delivery, wear_text = t.wear_text, wear = t.wear, paint_seed = t.paint_seed,
       sticker_count = t.sticker_count, details = t.details, said = t.said, live = true,
       changed_at = case when t.differs then $3 else l.changed_at end,
       changed_seq = case when t.differs then $2 else l.changed_seq end
     from target t where l.id = t.id
     returning l.id, t.item_id, t.delivery, t.price_mills, t.old_item_id, t.old_delivery, t.was_live,
       l.taken, t.differs)
   select id, item_id, delivery, price_mills, old_item_id, old_delivery, was_live, taken
   from written where differs`,
)

const INSERT_LISTINGS = sql(
  'catalog_insert_listings',
  `insert into catalog.listing (market, raw_id, item_id, price_mills, delivery, wear_text,
     wear, paint_seed, sticker_count, details, said, live, changed_at, changed_seq)
   select $1, raw_id, item_id, price_mills, delivery, wear_text, wear, paint_seed,
     sticker_count, details, said, true, $3, $2
   from unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::float8[],
       $10::integer[], $11::smallint[], $12::jsonb[], $13::bigint[])
     as incoming (raw_id, item_id, price_mills, delivery, wear_text, wear, paint_seed,
       sticker_count, details, said)
   where not exists (
     select from catalog.listing l where l.market = $1 and l.raw_id = incoming.raw_id)
   on conflict (market, raw_id) do nothing
   returning id, raw_id, item_id, delivery, price_mills`,
)

export interface Written {
  readonly inserted: number
  readonly updated: number
  /** What that does to the stock of items. */
  readonly moves: readonly StockMove[]
  /** Items that lost a listing to another one: what a buy did to it is counted with that one from now on. */
  readonly leftItems: readonly string[]
  /** Listings that were not for sale before. */
  readonly appeared: readonly bigint[]
  /** Listings that were, and look different now. */
  readonly changed: readonly bigint[]
}
const NOTHING_WRITTEN: Written = {
  inserted: 0,
  updated: 0,
  moves: [],
  leftItems: [],
  appeared: [],
  changed: [],
}

/** Writes what is new or different; a listing that reads as before is not touched. */
export async function upsertListings(
  tx: Tx,
  batch: Batch,
  listings: readonly SaidListing[],
): Promise<Written> {
  if (listings.length === 0) return NOTHING_WRITTEN
  // In this order: of a market that is read for the first time there is nothing to compare.
  const inserted = await tx.query<InsertedRow>(INSERT_LISTINGS, valuesOf(batch, listings))
  const isNew = new Set(inserted.map((row) => row.raw_id))
  const known = listings.filter(({ rawId }) => !isNew.has(rawId))
  const updated =
    known.length === 0 ? [] : await tx.query<UpdatedRow>(UPDATE_LISTINGS, valuesOf(batch, known))
  // A change of what is already sold is not shown.
  const seen = updated.filter((row) => !row.taken)
  const moves: StockMove[] = []
  for (const row of [...inserted, ...seen]) moves.push(arrivalOf(row))
  for (const row of seen) {
    if (row.was_live) moves.push({ itemId: row.old_item_id, delivery: row.old_delivery, by: -1 })
  }
  return {
    inserted: inserted.length,
    updated: updated.length,
    moves,
    leftItems: updated.flatMap((row) => (row.old_item_id === row.item_id ? [] : row.old_item_id)),
    appeared: [...inserted, ...seen.filter((row) => !row.was_live)].map((row) => row.id),
    changed: seen.filter((row) => row.was_live).map((row) => row.id),
  }
}

const valuesOf = (batch: Batch, listings: readonly SaidListing[]): unknown[] => [
  batch.market,
  batch.seq,
  batch.at,
  listings.map((listing) => listing.rawId),
  listings.map((listing) => listing.itemId),
  listings.map((listing) => listing.priceMills),
  listings.map((listing) => listing.delivery),
  listings.map((listing) => listing.wearText),
  listings.map((listing) => listing.wear),
  listings.map((listing) => listing.paintSeed),
  listings.map((listing) => listing.details.stickers.length),
  listings.map((listing) => JSON.stringify(listing.details)),
  listings.map((listing) => listing.said),
]

interface InsertedRow {
  id: bigint
  raw_id: string
  item_id: string
  delivery: Delivery
  price_mills: bigint
}

interface UpdatedRow extends Omit<InsertedRow, 'raw_id'> {
  old_item_id: string
  old_delivery: Delivery
  was_live: boolean
  taken: boolean
}

const arrivalOf = ({ item_id, delivery, price_mills }: Omit<InsertedRow, 'raw_id'>): StockMove => ({
  itemId: item_id,
  delivery,
  by: 1,
  priceMills: price_mills,
})

const UPDATE_PRICES = sql(
  'catalog_update_prices',
  `with target as materialized (
     select l.id, incoming.price_mills
     from unnest($4::text[], $5::bigint[]) incoming (raw_id, price_mills)
     join catalog.listing l on l.market = $1 and l.raw_id = incoming.raw_id
     where l.live and l.price_mills <> incoming.price_mills
     order by l.id for no key update of l)
   update catalog.listing l set
     price_mills = t.price_mills, said = null, changed_at = $3, changed_seq = $2
   from target t where l.id = t.id
   returning l.id, l.item_id, l.delivery, l.taken`,
)

/** A listing that a batch changed. */
export interface Touched {
  readonly id: bigint
  readonly itemId: string
  readonly delivery: Delivery
  /** An account of ours has bought it: it was not for sale before either. */
  readonly taken: boolean
}

interface TouchedRow {
  id: bigint
  item_id: string
  delivery: Delivery
  taken: boolean
}

const toTouched = ({ id, item_id, delivery, taken }: TouchedRow): Touched => ({
  id,
  itemId: item_id,
  delivery,
  taken,
})

/** New prices of live listings. */
export async function updatePrices(
  tx: Tx,
  { market, seq, at }: Batch,
  prices: readonly { readonly rawId: string; readonly priceMills: Mills }[],
): Promise<Touched[]> {
  if (prices.length === 0) return []
  const rows = await tx.query<TouchedRow>(UPDATE_PRICES, [
    market,
    seq,
    at,
    prices.map((price) => price.rawId),
    prices.map((price) => price.priceMills),
  ])
  return rows.map(toTouched)
}

const REMOVE_LISTINGS = sql(
  'catalog_remove_listings',
  `with target as materialized (
     select l.id from catalog.listing l
     where l.market = $1 and l.raw_id = any ($4) and l.live
     order by l.id for no key update)
   update catalog.listing l set live = false, changed_at = $3, changed_seq = $2
   from target t where l.id = t.id
   returning l.id, l.item_id, l.delivery, l.taken`,
)

/** Answers the listings that were live. */
export async function removeListings(
  tx: Tx,
  { market, seq, at }: Batch,
  rawIds: readonly string[],
): Promise<Touched[]> {
  if (rawIds.length === 0) return []
  return (await tx.query<TouchedRow>(REMOVE_LISTINGS, [market, seq, at, rawIds])).map(toTouched)
}

const SAID = sql(
  'catalog_said',
  `select raw_id, said::float8 as said from catalog.listing where market = $1 and live and raw_id > $2
   order by raw_id limit $3`,
)

export interface Said {
  readonly rawId: string
  /** As `hashOfListing` makes it; null where something else was written since. */
  readonly said: number | null
}

/** What was last said of a market's live listings after `after`, in the order of their ids. */
export async function listSaid(
  db: Queryable,
  market: MarketId,
  after: string,
  limit: number,
): Promise<Said[]> {
  const rows = await db.query<{ raw_id: string; said: number | null }>(SAID, [market, after, limit])
  return rows.map(({ raw_id, said }) => ({ rawId: raw_id, said }))
}

const PURGE_LISTINGS = sql(
  'catalog_purge_listings',
  `delete from catalog.listing where id = any (array(
     select id from catalog.listing
     where not live and changed_at < case when taken then $2::timestamptz else $1::timestamptz end
     limit $3))
   returning id`,
)

/** Forgets listings that are long gone; answers how many. Trades keep their own description. */
export async function purgeListings(
  db: Queryable,
  before: { readonly goneBefore: Date; readonly takenBefore: Date },
  limit: number,
): Promise<number> {
  const values = [before.goneBefore, before.takenBefore, limit]
  return (await db.query(PURGE_LISTINGS, values)).length
}
