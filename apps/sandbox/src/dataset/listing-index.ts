import type { Listing, MarketId } from './types.ts'

/** A listing on sale, with its number and its first price. */
export interface Offer {
  readonly number: number
  readonly listing: Listing
  readonly firstPriceMills: number
}

/** The listings on sale, ordered by number, so that their order does not depend on their history. */
export interface ListingIndex {
  readonly count: number
  countOf(market: MarketId): number
  find(market: MarketId, id: string): Offer | undefined
  all(market: MarketId): Iterable<Offer>
  named(market: MarketId, marketHashName: string): readonly Offer[]
  put(offer: Offer): void
  /** Shows the offer with another listing (another price) in its place. */
  replace(offer: Offer): void
  drop(offer: Offer): void
}

export function createListingIndex(): ListingIndex {
  const byId: Record<MarketId, Map<string, Offer>> = { market_a: new Map(), market_b: new Map() }
  const byName: Record<MarketId, Map<string, Offer[]>> = {
    market_a: new Map(),
    market_b: new Map(),
  }
  const listOf = ({ listing }: Offer): Offer[] => {
    const listingIndex = byName[listing.market]
    const name = listing.asset.item.marketHashName
    const list = listingIndex.get(name) ?? []
    listingIndex.set(name, list)
    return list
  }

  return {
    get count() {
      return byId.market_a.size + byId.market_b.size
    },
    countOf: (market) => byId[market].size,
    find: (market, id) => byId[market].get(id),
    all: (market) => byId[market].values(),
    named: (market, marketHashName) => byName[market].get(marketHashName) ?? [],
    put(offer) {
      const list = listOf(offer)
      list.splice(positionOf(list, offer.number), 0, offer)
      byId[offer.listing.market].set(offer.listing.id, offer)
    },
    replace(offer) {
      const list = listOf(offer)
      list[positionOf(list, offer.number)] = offer
      byId[offer.listing.market].set(offer.listing.id, offer)
    },
    drop(offer) {
      const list = listOf(offer)
      list.splice(positionOf(list, offer.number), 1)
      byId[offer.listing.market].delete(offer.listing.id)
      if (list.length === 0) {
        byName[offer.listing.market].delete(offer.listing.asset.item.marketHashName)
      }
    },
  }
}

/** The position of the number in the ordered list, or where it would be inserted. */
function positionOf(list: readonly Offer[], number: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.number ?? number) < number) low = middle + 1
    else high = middle
  }
  return low
}
