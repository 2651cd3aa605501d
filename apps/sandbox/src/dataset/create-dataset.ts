import { decideStep } from './activity.ts'
import { readCatalogue } from './catalogue.ts'
import { type ChangeFeed, createChangeFeed } from './change-feed.ts'
import { inventoryOf } from './inventory.ts'
import { createListingIndex, type ListingIndex, type Offer } from './listing-index.ts'
import { type Random, randomOf, STREAM } from './random.ts'
import { readDataset, type SavedDataset, writeDataset } from './saved-dataset.ts'
import { createStock, numberOf, type Stock } from './stock.ts'
import type { Dataset, DatasetOptions, Listing, MarketId } from './types.ts'

/** Raised when the making of copies or prices changes, so that older numbers are not misread. */
const GENERATOR_VERSION = 1

/** Numbers and moments: with the seed they give the whole dataset. */
interface Opening {
  readonly first: number
  readonly openedAtMs: number
}

/** What changes while the dataset lives. */
interface State {
  opening: Opening
  listingIndex: ListingIndex
  next: number
  ticks: number
}

export function createDataset(options: DatasetOptions): Dataset {
  const { seed, listingCount, changesPerTick } = options
  const catalogue = readCatalogue(options.itemCount)
  const stock = createStock(catalogue, options)
  const feed = createChangeFeed()
  let opened: ListingIndex | null = null
  const state: State = {
    opening: { first: 0, openedAtMs: options.nowMs },
    // Made when it is first asked for: of a million listings it takes some ten seconds, and a dataset that
    // is restored opens another.
    get listingIndex() {
      opened ??= open(stock, state.opening, listingCount)
      return opened
    },
    set listingIndex(listingIndex) {
      opened = listingIndex
    },
    next: listingCount,
    ticks: 0,
  }
  const changes = createChanges(state, { stock, feed, listingCount })
  const origin = `${GENERATOR_VERSION} ${catalogue.fingerprint} ${seed} ${listingCount}`

  return {
    catalogue: catalogue.entries.map(({ item }) => item),
    listing: (market, id) => state.listingIndex.find(market, id)?.listing,
    *listings(market) {
      for (const { listing } of state.listingIndex.all(market)) yield listing
    },
    listingsOf: (market, marketHashName) =>
      state.listingIndex.named(market, marketHashName).map(({ listing }) => listing),
    countOf: (market) => state.listingIndex.countOf(market),
    take: (market, id) => changes.leave(market, id, true),
    remove: (market, id) => changes.leave(market, id, false),
    putBack: changes.putBack,
    setPrice: changes.setPrice,
    tick(nowMs) {
      const random = randomOf(seed, STREAM.tick, state.ticks)
      state.ticks += 1
      for (let change = 0; change < changesPerTick; change += 1) changes.live(random, nowMs)
    },
    subscribe: feed.subscribe,
    inventoryOf: (platformId, count) => inventoryOf(stock, { seed, platformId, count }),
    dump: () => writeDataset(save(state, { origin, listingCount }), listingCount),
    restore(dump) {
      const saved = readDataset(dump)
      // Other goods under the same numbers: a new opening, whose numbers follow the old ones, so
      // that no id means two things.
      const isSame = saved.origin === origin
      state.opening = isSame
        ? { first: saved.first, openedAtMs: saved.openedAtMs }
        : { first: saved.next, openedAtMs: options.nowMs }
      state.listingIndex = open(stock, state.opening, listingCount)
      state.next = isSame ? saved.next : saved.next + listingCount
      state.ticks = saved.ticks
      if (isSame) catchUp(state, saved, { stock, listingCount })
    },
  }
}

interface Changes extends Pick<Dataset, 'putBack' | 'setPrice'> {
  leave(market: MarketId, id: string, sold: boolean): boolean
  /** One change of the market's own life. */
  live(random: Random, nowMs: number): void
}

/** Every way in which the dataset changes; each is published. */
function createChanges(
  state: State,
  dataset: { readonly stock: Stock; readonly feed: ChangeFeed; readonly listingCount: number },
): Changes {
  const { stock, feed, listingCount } = dataset
  const appear = (offer: Offer): void => {
    state.listingIndex.put(offer)
    feed.publish({ kind: 'new', listing: offer.listing })
  }
  const disappear = (offer: Offer, sold: boolean): void => {
    state.listingIndex.drop(offer)
    feed.publish({ kind: 'removed', listing: offer.listing, sold })
  }
  const reprice = (offer: Offer, priceMills: number): Listing => {
    const listing = { ...offer.listing, priceMills }
    state.listingIndex.replace({ ...offer, listing })
    feed.publish({ kind: 'update', listing, previousPriceMills: offer.listing.priceMills })
    return listing
  }
  const offerOf = (number: number, listedAtMs: number): Offer =>
    makeOffer(stock, { number, listedAtMs, opening: state.opening, listingCount })

  return {
    leave(market, id, sold) {
      const offer = state.listingIndex.find(market, id)
      if (offer !== undefined) disappear(offer, sold)
      return offer !== undefined
    },
    putBack({ market, id, listedAtMs, priceMills }) {
      if (state.listingIndex.find(market, id) !== undefined) return
      const number = numberOf(market, id)
      // Of an opening before this one, with goods that this dataset has no more.
      if (number < state.opening.first) return
      const offer = number < state.next ? offerOf(number, listedAtMs) : undefined
      if (offer?.listing.id !== id || offer.listing.market !== market) {
        throw new RangeError(`this dataset never had a listing ${id} on ${market}`)
      }
      appear({ ...offer, listing: { ...offer.listing, priceMills } })
    },
    setPrice(market, id, priceMills) {
      if (!Number.isSafeInteger(priceMills) || priceMills <= 0) {
        throw new RangeError(`a price is a whole, positive number of mills, not ${priceMills}`)
      }
      const offer = state.listingIndex.find(market, id)
      if (offer === undefined || offer.listing.priceMills === priceMills) return offer?.listing
      return reprice(offer, priceMills)
    },
    live(random, nowMs) {
      const { listingIndex } = state
      const step = decideStep(random, {
        listingIndex,
        listingCount,
        chooseEntry: stock.chooseEntry,
      })
      if (step?.kind === 'move') reprice(step.offer, step.priceMills)
      if (step?.kind === 'leave') disappear(step.offer, step.sold)
      if (step?.kind !== 'arrive') return
      const number = state.next
      state.next += 1
      appear(offerOf(number, nowMs))
    },
  }
}

/** The listingIndex of the first day. */
function open(stock: Stock, opening: Opening, listingCount: number): ListingIndex {
  const listingIndex = createListingIndex()
  for (let place = 0; place < listingCount; place += 1) {
    const number = opening.first + place
    listingIndex.put(makeOffer(stock, { number, listedAtMs: 0, opening, listingCount }))
  }
  return listingIndex
}

/** `listedAtMs` counts for listings after the opening; those of the opening have an age instead. */
function makeOffer(
  stock: Stock,
  from: {
    readonly number: number
    readonly listedAtMs: number
    readonly opening: Opening
    readonly listingCount: number
  },
): Offer {
  const { number, opening } = from
  const place = number - opening.first
  const isOpening = place < from.listingCount
  const listing = isOpening
    ? stock.make(number, stock.openingEntry(place), opening.openedAtMs - stock.ageMs(number))
    : stock.make(number, stock.arrivingEntry(number), from.listedAtMs)
  return { number, listing, firstPriceMills: listing.priceMills }
}

function save(
  { opening, listingIndex, next, ticks }: State,
  { origin, listingCount }: { readonly origin: string; readonly listingCount: number },
): SavedDataset {
  const gone = new Set(Array.from({ length: listingCount }, (_, place) => place))
  const added = new Map<number, number>()
  const prices = new Map<number, number>()
  for (const { number, listing, firstPriceMills } of everything(listingIndex)) {
    const place = number - opening.first
    if (place < listingCount) gone.delete(place)
    else added.set(number, listing.listedAtMs)
    if (listing.priceMills !== firstPriceMills) prices.set(number, listing.priceMills)
  }
  const { first, openedAtMs } = opening
  return { first, openedAtMs, origin, next, ticks, gone, added, prices }
}

/** Brings freshly opened listingIndex to where a saved dataset had come. */
function catchUp(
  { listingIndex, opening }: State,
  saved: SavedDataset,
  { stock, listingCount }: { readonly stock: Stock; readonly listingCount: number },
): void {
  for (const [number, listedAtMs] of saved.added) {
    listingIndex.put(makeOffer(stock, { number, listedAtMs, opening, listingCount }))
  }
  for (const offer of everything(listingIndex)) {
    const priceMills = saved.prices.get(offer.number)
    if (saved.gone.has(offer.number - opening.first)) listingIndex.drop(offer)
    else if (priceMills !== undefined) {
      listingIndex.replace({ ...offer, listing: { ...offer.listing, priceMills } })
    }
  }
}

function everything(listingIndex: ListingIndex): readonly Offer[] {
  return [...listingIndex.all('market_a'), ...listingIndex.all('market_b')]
}
