import { readCatalogue } from './catalogue.ts'
import { inventoryOf } from './inventory.ts'
import { decideStep } from './life.ts'
import { createNews } from './news.ts'
import { randomOf, STREAM } from './random.ts'
import { readWorld, type SavedWorld, writeWorld } from './saved-world.ts'
import { createShelves, type Offer, type Shelves } from './shelves.ts'
import { createStock, numberOf, type Stock } from './stock.ts'
import type { Listing, MarketId, World, WorldOptions } from './types.ts'

/** Numbers and moments: with the seed they give the whole world. */
interface Opening {
  readonly first: number
  readonly openedAtMs: number
}

/** Raised when the making of copies or prices changes, so that older numbers are not misread. */
const GENERATOR_VERSION = 1

export function createWorld(options: WorldOptions): World {
  const { seed, listingCount, changesPerTick } = options
  const catalogue = readCatalogue()
  const stock = createStock(catalogue, options)
  const origin = `${GENERATOR_VERSION} ${catalogue.fingerprint} ${seed} ${listingCount}`
  const news = createNews()
  let opening: Opening = { first: 0, openedAtMs: options.nowMs }
  let shelves = open(stock, opening, listingCount)
  let next = listingCount
  let ticks = 0

  const appear = (offer: Offer): void => {
    shelves.put(offer)
    news.tell({ kind: 'new', listing: offer.listing })
  }
  const disappear = (offer: Offer, sold: boolean): void => {
    shelves.drop(offer)
    news.tell({ kind: 'removed', listing: offer.listing, sold })
  }
  const reprice = (offer: Offer, priceMills: number): Listing => {
    const listing = { ...offer.listing, priceMills }
    shelves.replace({ ...offer, listing })
    news.tell({ kind: 'update', listing, previousPriceMills: offer.listing.priceMills })
    return listing
  }
  const leave = (market: MarketId, id: string, sold: boolean): boolean => {
    const offer = shelves.find(market, id)
    if (offer !== undefined) disappear(offer, sold)
    return offer !== undefined
  }
  const offerNumbered = (number: number, listedAtMs: number): Offer =>
    makeOffer(stock, { number, listedAtMs, opening, listingCount })
  const step = (random: ReturnType<typeof randomOf>, nowMs: number): void => {
    const decided = decideStep(random, { shelves, listingCount, chooseEntry: stock.chooseEntry })
    if (decided === null) return
    switch (decided.kind) {
      case 'move':
        reprice(decided.offer, decided.priceMills)
        return
      case 'leave':
        disappear(decided.offer, decided.sold)
        return
      default: {
        const number = next
        next += 1
        appear(offerNumbered(number, nowMs))
      }
    }
  }

  return {
    catalogue: catalogue.entries.map(({ item }) => item),
    listing: (market, id) => shelves.find(market, id)?.listing,
    *listings(market) {
      for (const { listing } of shelves.all(market)) yield listing
    },
    listingsOf: (market, marketHashName) =>
      shelves.named(market, marketHashName).map(({ listing }) => listing),
    countOf: (market) => shelves.countOf(market),
    take: (market, id) => leave(market, id, true),
    remove: (market, id) => leave(market, id, false),
    putBack(listing) {
      const { market, id, listedAtMs, priceMills } = listing
      if (shelves.find(market, id) !== undefined) return
      const number = numberOf(market, id)
      // Of an opening before this one, with goods that this world has no more.
      if (number < opening.first) return
      const offer = number < next ? offerNumbered(number, listedAtMs) : undefined
      if (offer?.listing.id !== id || offer.listing.market !== market) {
        throw new RangeError(`this world never had a listing ${id} on ${market}`)
      }
      appear({ ...offer, listing: { ...offer.listing, priceMills } })
    },
    setPrice(market, id, priceMills) {
      if (!Number.isSafeInteger(priceMills) || priceMills <= 0) {
        throw new RangeError(`a price is a whole, positive number of mills, not ${priceMills}`)
      }
      const offer = shelves.find(market, id)
      if (offer === undefined || offer.listing.priceMills === priceMills) return offer?.listing
      return reprice(offer, priceMills)
    },
    tick(nowMs) {
      const random = randomOf(seed, STREAM.tick, ticks)
      ticks += 1
      for (let change = 0; change < changesPerTick; change += 1) step(random, nowMs)
    },
    subscribe: (listener) => news.subscribe(listener),
    inventoryOf: (platformId, count) => inventoryOf(stock, { seed, platformId, count }),
    dump: () =>
      writeWorld(save({ origin, opening, next, ticks, shelves, listingCount }), listingCount),
    restore(dump) {
      const saved = readWorld(dump)
      // Other goods under the same numbers: a new opening, whose numbers follow the old ones, so
      // that no id means two things.
      const isSame = saved.origin === origin
      opening = isSame ? saved : { first: saved.next, openedAtMs: options.nowMs }
      shelves = open(stock, opening, listingCount)
      next = isSame ? saved.next : saved.next + listingCount
      ticks = saved.ticks
      if (isSame) catchUp(shelves, saved, { offerNumbered, opening })
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

function save(world: {
  readonly origin: string
  readonly opening: Opening
  readonly next: number
  readonly ticks: number
  readonly shelves: Shelves
  readonly listingCount: number
}): SavedWorld {
  const { opening, listingCount } = world
  const gone = new Set(Array.from({ length: listingCount }, (_, place) => place))
  const added = new Map<number, number>()
  const prices = new Map<number, number>()
  for (const market of ['market_a', 'market_b'] as const) {
    for (const { number, listing, firstPriceMills } of world.shelves.all(market)) {
      const place = number - opening.first
      if (place < listingCount) gone.delete(place)
      else added.set(number, listing.listedAtMs)
      if (listing.priceMills !== firstPriceMills) prices.set(number, listing.priceMills)
    }
  }
  const { origin, next, ticks } = world
  return {
    origin,
    first: opening.first,
    openedAtMs: opening.openedAtMs,
    next,
    ticks,
    gone,
    added,
    prices,
  }
}

/** Brings freshly opened shelves to where a saved world had come. */
function catchUp(
  shelves: Shelves,
  saved: SavedWorld,
  {
    offerNumbered,
    opening,
  }: { offerNumbered(number: number, listedAtMs: number): Offer; readonly opening: Opening },
): void {
  for (const [number, listedAtMs] of saved.added) shelves.put(offerNumbered(number, listedAtMs))
  for (const market of ['market_a', 'market_b'] as const) {
    for (const offer of [...shelves.all(market)]) {
      const priceMills = saved.prices.get(offer.number)
      if (saved.gone.has(offer.number - opening.first)) shelves.drop(offer)
      else if (priceMills !== undefined) {
        shelves.replace({ ...offer, listing: { ...offer.listing, priceMills } })
      }
    }
  }
}
