// What GET /market lists, followed: the cheapest listing of each of the most traded items. A listing that
// takes another's place is a remove and a new.
import type { CatalogueView, Listing, ListingEvent } from '#catalog'

export interface Watchlist {
  /** What became different since the last call, given the items whose listings may have changed. */
  update(touched: ReadonlySet<string>, nowMs: number): Promise<ListingEvent[]>
  /**
   * What GET /market has answered. It looks when it is asked and may see what no update does: a listing
   * that was the cheapest for a moment, an item that was among the most traded for one. A client that
   * began with that answer is corrected by the next update.
   */
  wasListed(listings: readonly Listing[]): void
  /** Everything is looked at again the next time. */
  doubt(): void
}

export interface WatchlistDeps {
  readonly view: Pick<CatalogueView, 'mostTraded' | 'version'>
  readonly readCheapest: (itemIds: readonly string[]) => Promise<readonly Listing[]>
  readonly size: number
}

/** What moves without a change of a listing, such as a reference price, is found this late at most. */
const LOOK_AT_ALL_MS = 10_000

export function createWatchlist({ view, readCheapest, size }: WatchlistDeps): Watchlist {
  const shown = new Map<string, Shown>()
  let watched = new Set<string>()
  let version = -1
  let lookedAtAllMs = Number.NEGATIVE_INFINITY
  // Answers are remembered for a second, and then are the same list.
  let answers = new Set<readonly Listing[]>()

  const itemsToLookAt = (touched: ReadonlySet<string>, nowMs: number): Set<string> => {
    const before = watched
    if (view.version !== version) {
      version = view.version
      watched = new Set(view.mostTraded(size).map(({ item }) => item.id))
    }
    if (nowMs - lookedAtAllMs >= LOOK_AT_ALL_MS) {
      lookedAtAllMs = nowMs
      return new Set(watched)
    }
    return new Set([...watched].filter((id) => touched.has(id) || !before.has(id)))
  }

  return {
    async update(touched, nowMs) {
      const lookedBefore = { watched, version, lookedAtAllMs }
      const ids = itemsToLookAt(touched, nowMs)
      let found: readonly Listing[] = []
      try {
        if (ids.size > 0) found = await readCheapest([...ids])
      } catch (error) {
        ;({ watched, version, lookedAtAllMs } = lookedBefore)
        lookedAtAllMs = Number.NEGATIVE_INFINITY
        throw error
      }
      const now = new Map(found.map((listing) => [listing.itemId, listing]))
      const events: ListingEvent[] = []
      for (const [itemId, { listing }] of shown) {
        const isGone = !watched.has(itemId) || (ids.has(itemId) && !now.has(itemId))
        if (!isGone) continue
        shown.delete(itemId)
        events.push(goneEvent(listing, nowMs))
      }
      for (const [itemId, listing] of now) {
        const before = shown.get(itemId)
        const text = textOf(listing)
        if (before?.text === text) continue
        shown.set(itemId, { listing, text })
        if (before !== undefined && before.listing.id !== listing.id) {
          events.push(goneEvent(before.listing, nowMs))
        }
        const appeared = before?.listing.id !== listing.id
        events.push({ id: listing.id, itemId, listing, appeared, atMs: nowMs })
      }
      const uncertain = answers
      answers = new Set()
      for (const listed of uncertain) events.push(...corrections(listed, shown, nowMs))
      return events
    },
    wasListed: (listings) => {
      answers.add(listings)
    },
    doubt: () => {
      lookedAtAllMs = Number.NEGATIVE_INFINITY
    },
  }
}

/** What turns the answer into what is shown; nearly always nothing. */
function corrections(
  listed: readonly Listing[],
  shown: ReadonlyMap<string, Shown>,
  atMs: number,
): ListingEvent[] {
  const events: ListingEvent[] = []
  const right = new Set<string>()
  for (const listing of listed) {
    const now = shown.get(listing.itemId)
    if (now?.listing.id !== listing.id) events.push(goneEvent(listing, atMs))
    else if (now.listing.priceMills === listing.priceMills) right.add(listing.itemId)
  }
  for (const [itemId, { listing }] of shown) {
    if (right.has(itemId)) continue
    events.push({ id: listing.id, itemId, listing, appeared: false, atMs })
  }
  return events
}

interface Shown {
  readonly listing: Listing
  /** All that can be seen of it. */
  readonly text: string
}

const goneEvent = ({ id, itemId }: Listing, atMs: number): ListingEvent => ({
  id,
  itemId,
  listing: null,
  appeared: false,
  atMs,
})

const textOf = ({ changedAt: _, ...listing }: Listing): string =>
  JSON.stringify(listing, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
