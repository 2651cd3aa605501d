import type { Mills } from '#kernel/money'
import type { FeedEvent, SourceListing } from '#ports/catalog'
import type { GameBook } from '../shared/game-book.ts'
import { hasPhases } from '../shared/phase.ts'
import { stickersOf } from './export.ts'
import type { FoundListing } from './search.ts'

/**
 * Which listings market A had of each name when we last looked, and at what price. The market never says
 * that a listing is gone; only the difference between two looks does. About 100 bytes a listing.
 */
export interface ListingBook {
  put(listing: SourceListing): void
  /** How many listings the name had when we last looked. */
  countOf(marketHashName: string): number
  /** What changed of a name since the last look; the book is brought up to date. */
  compare(
    marketHashName: string,
    found: readonly FoundListing[],
  ): readonly Exclude<FeedEvent, { kind: 'gap' }>[]
}

export function createListingBook(gameBook: GameBook): ListingBook {
  const names = new Map<string, Map<string, Mills>>()

  const entriesOf = (name: string): Map<string, Mills> => {
    const known = names.get(name)
    if (known !== undefined) return known
    const fresh = new Map<string, Mills>()
    names.set(name, fresh)
    return fresh
  }

  return {
    put: ({ marketHashName, rawId, priceMills }) =>
      void entriesOf(marketHashName).set(rawId, priceMills),
    countOf: (marketHashName) => names.get(marketHashName)?.size ?? 0,
    compare(marketHashName, found) {
      const known = entriesOf(marketHashName)
      const changes: Exclude<FeedEvent, { kind: 'gap' }>[] = []
      const gone = new Set(known.keys())
      for (const listing of found) {
        const { rawId, priceMills } = listing
        gone.delete(rawId)
        const before = known.get(rawId)
        if (before === priceMills) continue
        if (before !== undefined) changes.push({ kind: 'price', rawId, priceMills })
        else {
          // A search does not show the phase, and a phase guessed wrong is a price wrong by a factor of
          // ten: such a listing waits for the next export.
          if (hasPhases(marketHashName)) continue
          changes.push({ kind: 'upsert', listing: listingOf(marketHashName, listing, gameBook) })
        }
        known.set(rawId, priceMills)
      }
      for (const rawId of gone) {
        known.delete(rawId)
        changes.push({ kind: 'remove', rawId })
      }
      return changes
    },
  }
}

function listingOf(marketHashName: string, found: FoundListing, gameBook: GameBook): SourceListing {
  return {
    market: 'market_a',
    rawId: found.rawId,
    marketHashName,
    phase: null,
    priceMills: found.priceMills,
    assetId: null,
    classId: found.classId,
    instanceId: found.instanceId,
    wear: found.wear,
    paintSeed: null,
    paintIndex: null,
    stickers: stickersOf(found.stickerIds, gameBook),
    charm: null,
    inspectToken: null,
    delivery: 'standard',
    chance: found.chance,
  }
}
