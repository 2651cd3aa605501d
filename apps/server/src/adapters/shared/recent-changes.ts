import type { Clock } from '#infra/process/clock'
import type { FeedEvent, SourceListing } from '#ports/catalog'

type ListingChange = Exclude<FeedEvent, { kind: 'gap' }>

/**
 * What the live feed reported lately. A market's bulk file is made up to a minute before it is read, so a
 * snapshot alone would bring back what is gone and lose what is new; this lays the newer changes over it.
 */
export interface RecentChanges {
  note(change: ListingChange): void
  /** Begins to lay newer changes over a file that was made at this moment. */
  over(fileMadeAtMs: number): Overlay
}

export interface Overlay {
  /** The file's listing as of now; null when it went away after the file was made. */
  apply(listing: SourceListing): SourceListing | null
  /** Listings that appeared after the file was made and that `apply` has not met. */
  arrived(): readonly SourceListing[]
}

/** Longer than any market takes to make its file. */
const KEPT_MS = 300_000

export function createRecentChanges(clock: Clock): RecentChanges {
  const latest = new Map<string, Entry>()
  const nowMs = (): number => clock.now().getTime()

  const forgetOld = (): void => {
    const before = nowMs() - KEPT_MS
    // Insertion order is order of time, because each note moves its id to the end.
    for (const [rawId, { atMs }] of latest) {
      if (atMs >= before) return
      latest.delete(rawId)
    }
  }

  return {
    note(change) {
      const rawId = change.kind === 'upsert' ? change.listing.rawId : change.rawId
      const earlier = latest.get(rawId)?.change
      latest.delete(rawId)
      latest.set(rawId, { atMs: nowMs(), change: merged(earlier, change) })
      forgetOld()
    },
    over: (fileMadeAtMs) => createOverlay(latest, fileMadeAtMs),
  }
}

interface Entry {
  readonly atMs: number
  readonly change: ListingChange
}

function createOverlay(latest: ReadonlyMap<string, Entry>, fileMadeAtMs: number): Overlay {
  const met = new Set<string>()
  return {
    apply(listing) {
      const entry = latest.get(listing.rawId)
      if (entry === undefined || entry.atMs < fileMadeAtMs) return listing
      met.add(listing.rawId)
      if (entry.change.kind === 'remove') return null
      const { priceMills } = entry.change.kind === 'price' ? entry.change : entry.change.listing
      // The file knows more of a listing than the feed does: only the price is taken over.
      return { ...listing, priceMills }
    },
    arrived() {
      const arrived: SourceListing[] = []
      for (const [rawId, { atMs, change }] of latest) {
        if (change.kind !== 'upsert' || atMs < fileMadeAtMs || met.has(rawId)) continue
        arrived.push(change.listing)
      }
      return arrived
    },
  }
}

/** A new price of a listing that just arrived is still an arrival. */
function merged(earlier: ListingChange | undefined, change: ListingChange): ListingChange {
  if (change.kind !== 'price' || earlier?.kind !== 'upsert') return change
  return { kind: 'upsert', listing: { ...earlier.listing, priceMills: change.priceMills } }
}
