// Every listing that is offered, as one process holds it in memory for filters over all items. It is loaded
// once and then follows the log of changes by number, as the catalogue's view follows items and stock.
import type { Db } from '#infra/database/db'
import { createTenantShares } from '#infra/database/tenant-shares'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import type { Listing, ListingForSale } from '../listing.ts'
import type { MarketId } from '../ports.ts'
import { listChangesAfter, startOfChanges } from '../store/change.ts'
import { findAttributes, listAttributesAfter } from '../store/listing-attributes.ts'
import { findListings as readListings } from '../store/listings.ts'
import {
  createItemMaps,
  findListings,
  fitsTerms,
  type ItemSearch,
  isSelected,
  type ListingSearch,
  pageOfItem,
} from './find-listings.ts'
import { CHANGE_CHANNEL } from './follow.ts'
import { comparePlaces, type ListingOrder, placeOf } from './listing-order.ts'
import { createListingTable, type ListingAttributes, type ListingTable } from './listing-table.ts'
import type { Place } from './slot-order.ts'

export interface ListingsView {
  /**
   * Listings that can be bought now. Each is read from the database before it is shown: one that was sold
   * meanwhile, or fits no more, gives its place to the next. Throws BusyError for a tenant that asks for too
   * much at once.
   */
  list(tenantId: string, search: ListingSearch): Promise<ListedPage>
  /** Of one item, by pages; as many are counted as are known of. Sold ones are replaced as in a list. */
  listOfItem(search: ItemSearch): Promise<ItemPage>
  /** What is known of a listing that is offered. */
  find(id: number): ListingAttributes | null
  /** Calls `listener` with what changes from now on, in the same turn in which `find` begins to show it. */
  follow(listener: ListingListener): void
  /** Reads what changed; resolves when it has been applied. */
  refresh(): Promise<void>
  /** Everything that was committed before this moment has been applied. */
  readonly currentAt: Date
  readonly count: number
  stop(): Promise<void>
}

interface ListedPage {
  readonly rows: readonly Listing[]
  /** Where the next page begins; null on the last one. */
  readonly next: Place | null
}

interface ItemPage {
  readonly rows: readonly Listing[]
  /** Of all pages. */
  readonly total: number
}

interface ListingListener {
  onListing(change: ListingNote): void
  onMarket(market: MarketId, at: Date): void
  /** So much was missed that everything was read anew. */
  onReload(): void
}

/** A listing may be another than it was, or look different. */
export interface ListingNote {
  readonly id: bigint
  readonly appeared: boolean
  readonly atMs: number
  /** What was known of it; null: it was not offered. */
  readonly before: ListingAttributes | null
}

interface ListingsViewDeps {
  readonly db: Db
  readonly clock: Clock
  /** A refresh failed; the next one starts where the last good one ended. */
  onError(error: unknown): void
}

const POLL_MS = 2000
/** Notices come in bursts while a market is read whole; one refresh serves many. */
const REST_MS = 100
const LOADED_AT_ONCE = 10_000
const BATCHES_AT_ONCE = 20
const READ_AT_ONCE = 2000
/** Well before `purgeGone` forgets. */
const LOST_AFTER_MS = 10 * 60_000
/** A page whose listings go as fast as they are read is given shorter than it could be. */
const MOST_ROUNDS = 3
const LISTS_PER_TENANT = 2
const LISTS_WAITING_PER_TENANT = 32
const LIST_WAIT_MS = 5000

/** Loads all listings and follows them until stopped. */
export async function openListingsView(deps: ListingsViewDeps): Promise<ListingsView> {
  const { db, clock } = deps
  const followers = new Set<ListingListener>()
  const itemMapOf = createItemMaps()
  const shares = createTenantShares({
    atOnce: LISTS_PER_TENANT,
    waiting: LISTS_WAITING_PER_TENANT,
    waitMs: LIST_WAIT_MS,
  })
  let table: ListingTable
  let after = 0n
  let currentAt: Date
  let refreshing: Promise<void> | null = null
  let again = false

  const load = async (): Promise<void> => {
    const at = clock.now()
    // What changes while rows are read is in the log behind this number, and is read again.
    const start = await startOfChanges(db, at)
    const loaded = createListingTable()
    await loaded.fill(everyListing(db))
    table = loaded
    after = start.after
    currentAt = at
  }

  /** One listing at a time, so that who follows sees each change when it is made. */
  const apply = (
    note: Omit<ListingNote, 'before'>,
    attributes: ListingAttributes | undefined,
  ): void => {
    const id = Number(note.id)
    const before = table.find(id)
    if (attributes === undefined) table.remove(id)
    else table.put(attributes)
    for (const { onListing } of followers) onListing({ ...note, before })
  }

  const readLog = async (): Promise<boolean> => {
    const changes = await listChangesAfter(db, after, BATCHES_AT_ONCE)
    const noted = new Map<bigint, Omit<ListingNote, 'before'>>()
    const batches = new Set<bigint>()
    for (const { seq, at, listing } of changes) {
      batches.add(seq)
      if (listing === null) continue
      const { id, appeared } = listing
      const known = noted.get(id)
      if (known === undefined) noted.set(id, { id, appeared, atMs: at.getTime() })
      else if (appeared) noted.set(id, { ...known, appeared })
    }
    const notes = [...noted.values()]
    for (let from = 0; from < notes.length; from += READ_AT_ONCE) {
      const piece = notes.slice(from, from + READ_AT_ONCE)
      const attributes = await findAttributes(
        db,
        piece.map(({ id }) => Number(id)),
      )
      for (const note of piece) apply(note, attributes.get(Number(note.id)))
    }
    for (const { market, at } of changes) {
      if (market !== null) for (const { onMarket } of followers) onMarket(market, at)
    }
    after = changes.at(-1)?.seq ?? after
    return batches.size === BATCHES_AT_ONCE
  }

  const read = async (): Promise<void> => {
    const at = clock.now()
    if (at.getTime() - currentAt.getTime() > LOST_AFTER_MS) {
      await load()
      for (const { onReload } of followers) onReload()
    }
    while (await readLog());
    currentAt = at
  }

  // One at a time; a request during one is served by one more after it, which sees later changes.
  const refresh = (): Promise<void> => {
    if (refreshing !== null) {
      again = true
      return refreshing
    }
    refreshing = (async () => {
      do {
        again = false
        await read()
      } while (again)
    })().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const listPage = async (search: ListingSearch): Promise<ListedPage> => {
    const { items, order, limit } = search
    const rows: ListingForSale[] = []
    let next = search.after
    let isWhole = false
    for (let round = 0; round < MOST_ROUNDS && rows.length < limit && !isWhole; round++) {
      const missing = limit - rows.length
      const places = await findListings(table, itemMapOf(table, items.index), {
        ...search,
        after: next,
        limit: missing,
      })
      const found = await readListings(
        db,
        places.map(({ id }) => BigInt(id)),
      )
      for (const row of found) if (isShown(row, search)) rows.push(row)
      isWhole = places.length < missing
      next = places.at(-1) ?? next
    }
    return { rows: inOrder(rows, order), next: isWhole ? null : next }
  }

  const listOfItem = async (search: ItemSearch): Promise<ItemPage> => {
    const { order, limit } = search
    // The second half stands in for what was sold meanwhile.
    const { places, total } = pageOfItem(table, { ...search, limit: 2 * limit })
    const rows: ListingForSale[] = []
    let read = 0
    while (rows.length < limit && read < places.length) {
      const piece = places.slice(read, read + limit - rows.length)
      const found = await readListings(
        db,
        piece.map(({ id }) => BigInt(id)),
      )
      for (const row of found) if (isShownOfItem(row, search)) rows.push(row)
      read += piece.length
    }
    return { rows: inOrder(rows, order), total: total - (read - rows.length) }
  }

  await load()
  const loop = startPollLoop({
    ...{ pollMs: POLL_MS, restMs: REST_MS, firstMs: POLL_MS },
    run: refresh,
    onError: deps.onError,
  })
  const unlisten = await db.listen(CHANGE_CHANNEL, loop.wake)
  await refresh()
  return {
    list: (tenantId, search) => shares(tenantId, () => listPage(search)),
    listOfItem,
    find: (id) => table.find(id),
    follow: (listener) => {
      followers.add(listener)
    },
    refresh,
    get currentAt() {
      return currentAt
    },
    get count() {
      return table.count
    },
    stop: async () => {
      await Promise.all([loop.stop(), unlisten()])
    },
  }
}

async function* everyListing(db: Db): AsyncGenerator<readonly ListingAttributes[]> {
  let after = 0
  for (;;) {
    const rows = await listAttributesAfter(db, after, LOADED_AT_ONCE)
    yield rows
    if (rows.length < LOADED_AT_ONCE) return
    after = rows.at(-1)?.id ?? after
  }
}

/** As it is now: it may have changed since the table was brought up to date. */
const isOffered = (
  listing: ListingForSale | null,
  { terms, upMarkets }: Pick<ListingSearch, 'terms' | 'upMarkets'>,
): listing is ListingForSale =>
  listing?.available === true &&
  upMarkets.includes(listing.market) &&
  fitsTerms(attributesOf(listing), terms)

const isShown = (
  listing: ListingForSale | null,
  search: ListingSearch,
): listing is ListingForSale =>
  isOffered(listing, search) && isSelected(search.items, listing.itemId)

const isShownOfItem = (
  listing: ListingForSale | null,
  search: ItemSearch,
): listing is ListingForSale =>
  isOffered(listing, search) &&
  listing.itemId === search.itemId &&
  (search.hasStickers ?? listing.description.stickers.length > 0) ===
    listing.description.stickers.length > 0

const inOrder = (rows: ListingForSale[], order: ListingOrder): ListingForSale[] =>
  rows
    .map((row) => ({ row, place: placeOf(order, attributesOf(row)) }))
    .sort((left, right) => comparePlaces(order, left.place, right.place))
    .map(({ row }) => row)

/** What the table knows of a listing. */
export const attributesOf = ({
  id,
  itemId,
  market,
  priceMills,
  description,
}: Listing): ListingAttributes => ({
  id: Number(id),
  ...{ itemId, market, mills: Number(priceMills) },
  delivery: description.delivery,
  wear: description.wear === null ? null : Number(description.wear),
  paintSeed: description.paintSeed,
  stickers: description.stickers.map(({ name }) => name),
})
