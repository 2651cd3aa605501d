// Every change goes through `changeCatalog`, which orders the changes of all processes, so that readers
// can follow them by number.
import { type Db, type Queryable, sql, type Tx } from '#infra/database/db'
import type { MarketId } from '../ports.ts'

const BEGIN_CHANGE = sql('catalog_begin_change', 'select catalog.begin_change() as seq')

/** One batch: its number is taken under the lock that orders all batches, and held until it commits. */
export const changeCatalog = <T>(db: Db, work: (tx: Tx, seq: bigint) => Promise<T>): Promise<T> =>
  db.transaction((tx) => changeCatalogIn(tx, (seq) => work(tx, seq)))

/** The same in a transaction that is open already; nothing slow may come after it there. */
export async function changeCatalogIn<T>(tx: Tx, work: (seq: bigint) => Promise<T>): Promise<T> {
  const [row] = await tx.query<{ seq: bigint }>(BEGIN_CHANGE)
  return work(row?.seq ?? 0n)
}

const NOTE_LISTING_CHANGE = sql(
  'catalog_note_listing_change',
  'select catalog.note_listing_change($1, $2, $3::bigint[], $4::bigint[], $5)',
)

/** What a batch did to listings, for readers that pass it on. */
export interface ListingChangeNote {
  /** Were not for sale before. */
  readonly appeared: readonly (bigint | string)[]
  /** Look different, or are gone. */
  readonly changed: readonly (bigint | string)[]
  /** A whole market went or came back. */
  readonly market?: MarketId
}

/** Once a batch; nothing is written when nothing changed that anybody can see. */
export async function noteListingChange(
  tx: Tx,
  { seq, at }: { readonly seq: bigint; readonly at: Date },
  { appeared, changed, market }: ListingChangeNote,
): Promise<void> {
  if (appeared.length + changed.length === 0 && market === undefined) return
  await tx.query(NOTE_LISTING_CHANGE, [seq, at, appeared, changed, market ?? null])
}

const CHANGES_AFTER = sql(
  'catalog_changes_after',
  `select c.seq, c.at, c.market, l.id, l.appeared
   from (
     select seq, at, appeared, changed, market from catalog.listing_change
     where seq > $1 order by seq limit $2) c
   left join lateral (
     select id, true as appeared from unnest(c.appeared) id
     union all select id, false from unnest(c.changed) id) l on true
   order by c.seq`,
)

/** A listing that may look different, or a market that went or came back. */
export interface ListingChange {
  readonly seq: bigint
  readonly at: Date
  readonly listing: { readonly id: bigint; readonly appeared: boolean } | null
  readonly market: MarketId | null
}

/** What changed after that number: everything of at most `batches` batches, in their order. */
export async function listChangesAfter(
  db: Queryable,
  after: bigint,
  batches: number,
): Promise<ListingChange[]> {
  const rows = await db.query<ListingChangeRow>(CHANGES_AFTER, [after, batches])
  return rows.map(({ seq, at, market, id, appeared }) => ({
    seq,
    at,
    market,
    listing: id === null ? null : { id, appeared: appeared === true },
  }))
}

interface ListingChangeRow {
  seq: bigint
  at: Date
  market: MarketId | null
  id: bigint | null
  appeared: boolean | null
}

const START_OF_CHANGES = sql(
  'catalog_start_of_changes',
  `select coalesce((select max(seq) from catalog.listing_change where at < $1), 0) as after,
     (select max(at) from catalog.listing_change where market is not null) as switched_at`,
)

export interface StartOfChanges {
  /** Read what came after this number. */
  readonly after: bigint
  /** When a market last went or came back, as far as it is remembered. */
  readonly switchedAt: Date | null
}

/** Where to begin reading so as to see everything from that moment on, as far as it is kept. */
export async function startOfChanges(db: Queryable, from: Date): Promise<StartOfChanges> {
  const [row] = await db.query<{ after: bigint; switched_at: Date | null }>(START_OF_CHANGES, [
    from,
  ])
  return { after: row?.after ?? 0n, switchedAt: row?.switched_at ?? null }
}

const PURGE_CHANGES = sql(
  'catalog_purge_changes',
  `delete from catalog.listing_change
   where at < $1 and seq < (select max(seq) from catalog.listing_change)`,
)

/** Forgets what is not asked for any more. The last batch stays: its `at` is where the next one begins. */
export async function purgeChanges(db: Queryable, before: Date): Promise<void> {
  await db.query(PURGE_CHANGES, [before])
}
