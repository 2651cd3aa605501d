import { readCatalogue } from './catalogue.ts'
import { inventoryOf } from './inventory.ts'
import { decideStep } from './life.ts'
import { createNews, type News } from './news.ts'
import { type Random, randomOf, STREAM } from './random.ts'
import { readWorld, type SavedWorld, writeWorld } from './saved-world.ts'
import { createShelves, type Offer, type Shelves } from './shelves.ts'
import { createStock, numberOf, type Stock } from './stock.ts'
import type { Listing, MarketId, World, WorldOptions } from './types.ts'

/** Raised when the making of copies or prices changes, so that older numbers are not misread. */
const GENERATOR_VERSION = 1

/** Numbers and moments: with the seed they give the whole world. */
interface Opening {
  readonly first: number
  readonly openedAtMs: number
}

/** What changes while the world lives. */
interface State {
  opening: Opening
  shelves: Shelves
  next: number
  ticks: number
}

export function createWorld(options: WorldOptions): World {
  const { seed, listingCount, changesPerTick } = options
  const catalogue = readCatalogue()
  const stock = createStock(catalogue, options)
  const news = createNews()
  const opening: Opening = { first: 0, openedAtMs: options.nowMs }
  const shelves = open(stock, opening, listingCount)
  const state: State = { opening, shelves, next: listingCount, ticks: 0 }
  const changes = createChanges(state, { stock, news, listingCount })
  const origin = `${GENERATOR_VERSION} ${catalogue.fingerprint} ${seed} ${listingCount}`

  return {
    catalogue: catalogue.entries.map(({ item }) => item),
    listing: (market, id) => state.shelves.find(market, id)?.listing,
    *listings(market) {
      for (const { listing } of state.shelves.all(market)) yield listing
    },
    listingsOf: (market, marketHashName) =>
      state.shelves.named(market, marketHashName).map(({ listing }) => listing),
    countOf: (market) => state.shelves.countOf(market),
    take: (market, id) => changes.leave(market, id, true),
    remove: (market, id) => changes.leave(market, id, false),
    putBack: changes.putBack,
    setPrice: changes.setPrice,
    tick(nowMs) {
      const random = randomOf(seed, STREAM.tick, state.ticks)
      state.ticks += 1
      for (let change = 0; change < changesPerTick; change += 1) changes.live(random, nowMs)
    },
    subscribe: news.subscribe,
    inventoryOf: (platformId, count) => inventoryOf(stock, { seed, platformId, count }),
    dump: () => writeWorld(save(state, { origin, listingCount }), listingCount),
    restore(dump) {
      const saved = readWorld(dump)
      // Other goods under the same numbers: a new opening, whose numbers follow the old ones, so
      // that no id means two things.
      const isSame = saved.origin === origin
      state.opening = isSame
        ? { first: saved.first, openedAtMs: saved.openedAtMs }
        : { first: saved.next, openedAtMs: options.nowMs }
      state.shelves = open(stock, state.opening, listingCount)
      state.next = isSame ? saved.next : saved.next + listingCount
      state.ticks = saved.ticks
      if (isSame) catchUp(state, saved, { stock, listingCount })
    },
  }
}

interface Changes extends Pick<World, 'putBack' | 'setPrice'> {
  leave(market: MarketId, id: string, sold: boolean): boolean
  /** One change of the market's own life. */
  live(random: Random, nowMs: number): void
}

/** Every way in which the world changes; each is told. */
function createChanges(
  state: State,
  world: { readonly stock: Stock; readonly news: News; readonly listingCount: number },
): Changes {
  const { stock, news, listingCount } = world
  const appear = (offer: Offer): void => {
    state.shelves.put(offer)
    news.tell({ kind: 'new', listing: offer.listing })
  }
  const disappear = (offer: Offer, sold: boolean): void => {
    state.shelves.drop(offer)
    news.tell({ kind: 'removed', listing: offer.listing, sold })
  }
  const reprice = (offer: Offer, priceMills: number): Listing => {
    const listing = { ...offer.listing, priceMills }
    state.shelves.replace({ ...offer, listing })
    news.tell({ kind: 'update', listing, previousPriceMills: offer.listing.priceMills })
    return listing
  }
  const offerOf = (number: number, listedAtMs: number): Offer =>
    makeOffer(stock, { number, listedAtMs, opening: state.opening, listingCount })

  return {
    leave(market, id, sold) {
      const offer = state.shelves.find(market, id)
      if (offer !== undefined) disappear(offer, sold)
      return offer !== undefined
    },
    putBack({ market, id, listedAtMs, priceMills }) {
      if (state.shelves.find(market, id) !== undefined) return
      const number = numberOf(market, id)
      // Of an opening before this one, with goods that this world has no more.
      if (number < state.opening.first) return
      const offer = number < state.next ? offerOf(number, listedAtMs) : undefined
      if (offer?.listing.id !== id || offer.listing.market !== market) {
        throw new RangeError(`this world never had a listing ${id} on ${market}`)
      }
      appear({ ...offer, listing: { ...offer.listing, priceMills } })
    },
    setPrice(market, id, priceMills) {
      if (!Number.isSafeInteger(priceMills) || priceMills <= 0) {
        throw new RangeError(`a price is a whole, positive number of mills, not ${priceMills}`)
      }
      const offer = state.shelves.find(market, id)
      if (offer === undefined || offer.listing.priceMills === priceMills) return offer?.listing
      return reprice(offer, priceMills)
    },
    live(random, nowMs) {
      const { shelves } = state
      const step = decideStep(random, { shelves, listingCount, chooseEntry: stock.chooseEntry })
      if (step?.kind === 'move') reprice(step.offer, step.priceMills)
      if (step?.kind === 'leave') disappear(step.offer, step.sold)
      if (step?.kind !== 'arrive') return
      const number = state.next
      state.next += 1
      appear(offerOf(number, nowMs))
    },
  }
}

/** The shelves of the first day. */
function open(stock: Stock, opening: Opening, listingCount: number): Shelves {
  const shelves = createShelves()
  for (let place = 0; place < listingCount; place += 1) {
    const number = opening.first + place
    shelves.put(makeOffer(stock, { number, listedAtMs: 0, opening, listingCount }))
  }
  return shelves
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
  { opening, shelves, next, ticks }: State,
  { origin, listingCount }: { readonly origin: string; readonly listingCount: number },
): SavedWorld {
  const gone = new Set(Array.from({ length: listingCount }, (_, place) => place))
  const added = new Map<number, number>()
  const prices = new Map<number, number>()
  for (const { number, listing, firstPriceMills } of everything(shelves)) {
    const place = number - opening.first
    if (place < listingCount) gone.delete(place)
    else added.set(number, listing.listedAtMs)
    if (listing.priceMills !== firstPriceMills) prices.set(number, listing.priceMills)
  }
  const { first, openedAtMs } = opening
  return { first, openedAtMs, origin, next, ticks, gone, added, prices }
}

/** Brings freshly opened shelves to where a saved world had come. */
function catchUp(
  { shelves, opening }: State,
  saved: SavedWorld,
  { stock, listingCount }: { readonly stock: Stock; readonly listingCount: number },
): void {
  for (const [number, listedAtMs] of saved.added) {
    shelves.put(makeOffer(stock, { number, listedAtMs, opening, listingCount }))
  }
  for (const offer of everything(shelves)) {
    const priceMills = saved.prices.get(offer.number)
    if (saved.gone.has(offer.number - opening.first)) shelves.drop(offer)
    else if (priceMills !== undefined) {
      shelves.replace({ ...offer, listing: { ...offer.listing, priceMills } })
    }
  }
}

function everything(shelves: Shelves): readonly Offer[] {
  return [...shelves.all('market_a'), ...shelves.all('market_b')]
}
