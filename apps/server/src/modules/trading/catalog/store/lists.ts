// SQL of the lists that are read, and of the names that no item has.

import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Mills } from '#kernel/money'
import type { MarketId } from '../ports.ts'
import type { StubItem, UnknownName } from '../stub.ts'

export interface ListState {
  /** `items`, or `prices_` and a market. */
  readonly name: string
  /** When it was last taken over or had not changed; before that, when it was first asked for. */
  readonly goodAt: Date
  /** Why the newest one was not believed. */
  readonly refused: string | null
}

const NOTE_LIST = sql(
  'catalog_note_list',
  `insert into catalog.source_list as s (name, asked_at, good_at, refused)
   values ($1, $2, case when $4 then $2::timestamptz end, $3)
   on conflict (name) do update set
     good_at = coalesce(excluded.good_at, s.good_at),
     refused = case when $4 then null else coalesce(excluded.refused, s.refused) end`,
)

/** What became of a list: good, refused for a reason, or (neither) not to be had. */
export async function noteList(
  db: Queryable,
  name: string,
  { at, isGood, refused }: { at: Date; isGood: boolean; refused: string | null },
): Promise<void> {
  await db.query(NOTE_LIST, [name, at, refused, isGood])
}

const LIST_STATES = sql(
  'catalog_list_states',
  `select name, coalesce(good_at, asked_at) good_at, refused from catalog.source_list
   order by name limit 100`,
)

export async function listStates(db: Queryable): Promise<ListState[]> {
  const rows = await db.query<{ name: string; good_at: Date; refused: string | null }>(LIST_STATES)
  return rows.map(({ name, good_at, refused }) => ({ name, goodAt: good_at, refused }))
}

const HAS_GOOD_LIST = sql(
  'catalog_has_good_list',
  'select exists (select from catalog.source_list where name = $1 and good_at is not null) as found',
)

export async function hasGoodList(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_GOOD_LIST, [name])
  return row?.found ?? false
}

const WRITE_PRICES = sql(
  'catalog_write_prices',
  `update catalog.item i set reference_price_mills = n.mills, volume = coalesce(n.volume, i.volume),
     quotable = n.quotable, changed_seq = $1
   from unnest($2::text[], $3::bigint[], $4::integer[], $5::boolean[]) n (id, mills, volume, quotable)
   where i.id = n.id and (i.reference_price_mills, i.volume, i.quotable)
     is distinct from (n.mills, coalesce(n.volume, i.volume), n.quotable)
   returning i.id`,
)

export interface ItemPrice {
  readonly id: string
  readonly referenceMills: Mills
  /** Null: as it was. */
  readonly volume: number | null
  /** Bots may pay by it. */
  readonly quotable: boolean
}

/** Answers how many differ. */
export async function writePrices(
  tx: Tx,
  seq: bigint,
  prices: readonly ItemPrice[],
): Promise<number> {
  const rows = await tx.query(WRITE_PRICES, [
    seq,
    prices.map(({ id }) => id),
    prices.map(({ referenceMills }) => referenceMills),
    prices.map(({ volume }) => volume),
    prices.map(({ quotable }) => quotable),
  ])
  return rows.length
}

const NAMES_FOR_SALE = sql(
  'catalog_names_for_sale',
  `select distinct i.market_hash_name from catalog.stock s join catalog.item i on i.id = s.item_id
   where s.market = $1 and s.standard_count + s.instant_count > 0`,
)

export async function listNamesForSale(db: Queryable, market: MarketId): Promise<string[]> {
  const rows = await db.query<{ market_hash_name: string }>(NAMES_FOR_SALE, [market])
  return rows.map((row) => row.market_hash_name)
}

const FORGET_UNKNOWN = sql(
  'catalog_forget_unknown',
  'delete from catalog.unknown_name where seen_at < $1',
)

const NOTE_UNKNOWN = sql(
  'catalog_note_unknown',
  `insert into catalog.unknown_name as u (market_hash_name, phase, seen_at)
   select name, phase, $3 from unnest($1::text[], $2::text[]) seen (name, phase)
   order by name, phase
   on conflict on constraint unknown_name_once do update set
     reads = u.reads + 1, seen_at = excluded.seen_at
   returning market_hash_name, phase, reads`,
)

/** Counts a read in which they were seen, and answers those that were seen in another one before. */
export async function noteUnknownNames(
  db: Queryable,
  names: readonly UnknownName[],
  { at, forgetBefore }: { readonly at: Date; readonly forgetBefore: Date },
): Promise<UnknownName[]> {
  await db.query(FORGET_UNKNOWN, [forgetBefore])
  const rows = await db.query<{ market_hash_name: string; phase: string | null; reads: number }>(
    NOTE_UNKNOWN,
    [names.map((name) => name.marketHashName), names.map((name) => name.phase), at],
  )
  return rows
    .filter(({ reads }) => reads > 1)
    .map((row) => ({ marketHashName: row.market_hash_name, phase: row.phase }))
}

const INSERT_STUBS = sql(
  'catalog_insert_stubs',
  `with named as (
     delete from catalog.unknown_name u using unnest($4::text[], $5::text[]) made (name, phase)
     where u.market_hash_name = made.name and u.phase is not distinct from made.phase)
   insert into catalog.item (id, game, market_hash_name, phase, name, type, item_type, weapon, rarity,
     rarity_color, category, exterior, icon_url, def_index, reference_price_mills, volume, stub, changed_seq)
   select id, $2, market_hash_name, phase, name, item_type, item_type, weapon, '', '', category, exterior,
     '', 0, 0, 0, true, $1
   from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[]) as n (id, market_hash_name, phase, name, item_type, weapon, category, exterior)
   on conflict do nothing
   returning id`,
)

/** Answers how many are new. */
export async function insertStubs(
  tx: Tx,
  { seq, game }: { readonly seq: bigint; readonly game: string },
  stubs: readonly StubItem[],
): Promise<number> {
  const rows = await tx.query(INSERT_STUBS, [
    seq,
    game,
    stubs.map((stub) => stub.id),
    stubs.map((stub) => stub.marketHashName),
    stubs.map((stub) => stub.phase),
    stubs.map((stub) => stub.name),
    stubs.map((stub) => stub.itemType),
    stubs.map((stub) => stub.weapon),
    stubs.map((stub) => stub.category),
    stubs.map((stub) => stub.exterior),
  ])
  return rows.length
}

const COUNT_STUBS = sql(
  'catalog_count_stubs',
  'select count(*) as stubs from catalog.item where stub and listed',
)

export async function countStubs(db: Queryable): Promise<number> {
  const [row] = await db.query<{ stubs: bigint }>(COUNT_STUBS)
  return Number(row?.stubs ?? 0n)
}
