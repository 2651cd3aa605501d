import { roundPrice } from './appraise.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import { makeCopy, readDecorations } from './copy.ts'
import { type Random, randomOf, STREAM } from './random.ts'
import type { Asset, Listing, MarketId } from './types.ts'

// Listings have rising numbers. A number determines everything about its listing but the
// moment when it appeared: item, copy, market, seller, price, ids. So nothing needs to be stored of
// a listing but its number, and a number that is never used again is an id that never comes back.

export interface Stock {
  /** Which item the `place`-th listing of the opening offers. */
  openingEntry(place: number): CatalogueEntry
  /** An item for something new, likely as it is abundant. */
  chooseEntry(random: Random): CatalogueEntry
  /** Which item a listing offers that came after the opening. */
  arrivingEntry(number: number): CatalogueEntry
  make(number: number, entry: CatalogueEntry, listedAtMs: number): Listing
  /** How long before the opening this one of its listings had appeared. */
  ageMs(number: number): number
  copyOf(entry: CatalogueEntry, random: Random): Asset
}

export function createStock(
  { entries }: Catalogue,
  { seed, listingCount }: { readonly seed: number; readonly listingCount: number },
): Stock {
  const decorations = readDecorations(entries)
  const stickerMills = new Map(
    entries
      .filter(({ kind }) => kind === 'sticker')
      .map(({ item }) => [item.marketHashName, item.referencePriceMills]),
  )
  const weights = weightsOf(entries, listingCount)
  const sums = sumUp(weights)
  const opening = fillShelves(weights, { seed, listingCount })
  const sellers = createSellers(seed)

  return {
    openingEntry: (place) => entryAt(entries, opening[place] ?? 0),
    chooseEntry: (random) => entryAt(entries, findSum(sums, random.unit())),
    arrivingEntry: (number) =>
      entryAt(entries, findSum(sums, randomOf(seed, STREAM.arrival, number).unit())),
    ageMs: (number) =>
      Math.floor(Math.min(randomOf(seed, STREAM.age, number).exponential(), 8) * MEAN_AGE_MS),
    copyOf: (entry, random) => makeCopy(entry, random, decorations),
    make(number, entry, listedAtMs) {
      const random = randomOf(seed, STREAM.listing, number)
      const market: MarketId = random.chance(0.5) ? 'market_a' : 'market_b'
      const auto = random.chance(AUTO_SHARE)
      const sellerId = random.pick(auto ? sellers.bots : sellers.people)
      const assetId = String(
        FIRST_ASSET_ID + number * ASSET_STEP + random.between(0, ASSET_STEP - 1),
      )
      const saleId = FIRST_SALE_ID + number * SALE_STEP + random.between(0, SALE_STEP - 1)
      const asset = makeCopy(entry, random, decorations)
      return {
        market,
        id: market === 'market_b' ? assetId : String(saleId),
        assetId,
        asset,
        sellerId,
        priceMills: askingPrice(asset, { random, stickerMills, auto }),
        auto,
        listedAtMs,
      }
    },
  }
}

/** The number of the listing that has this id on this market; it need not exist (any more). */
export function numberOf(market: MarketId, id: string): number {
  const value = Number(id)
  return market === 'market_b'
    ? Math.floor((value - FIRST_ASSET_ID) / ASSET_STEP)
    : Math.floor((value - FIRST_SALE_ID) / SALE_STEP)
}

// Ids look like the real ones: market A counts its sales with ten digits, the platform its assets
// with eleven. The steps leave gaps, as other trade on the platform does; both ranges hold more
// than a hundred million listings before the digits (and for assets the ids of items handed over,
// from 90,000,000,000) are reached.
const FIRST_SALE_ID = 5_650_000_000
const SALE_STEP = 7
const FIRST_ASSET_ID = 41_000_000_000
const ASSET_STEP = 311

const AUTO_SHARE = 0.34
const MEAN_AGE_MS = 3 * 86_400_000
/** No item has more than this part of all listings. */
const LARGEST_SHARE = 0.008
/**
 * From so many listings on they are spread as on the real markets, where half of them are of three names
 * in a hundred. With fewer, that would leave too many items out of stock to try things with.
 */
const DEEP_FROM = 150_000
const DEEP_STEEPNESS = 1.21
/** Of a deep dataset, the part of its most abundant item: 20,000 of a million. */
const DEEP_LARGEST_SHARE = 0.02

function entryAt(entries: readonly CatalogueEntry[], index: number): CatalogueEntry {
  const entry = entries[index]
  if (entry === undefined) throw new Error(`the catalogue has no entry ${index}`)
  return entry
}

/** How likely each item is, against the others. */
function weightsOf(entries: readonly CatalogueEntry[], listingCount: number): Float64Array {
  const isDeep = listingCount >= DEEP_FROM
  const steepness = isDeep ? DEEP_STEEPNESS : 1
  const weights = Float64Array.from(entries, ({ abundance }) => abundance ** steepness)
  if (!isDeep) return weights
  const largest = weights.reduce(
    (most, weight, at) => (weight > (weights[most] ?? 0) ? at : most),
    0,
  )
  weights[largest] = 0
  weights[largest] = (totalOf(weights) * DEEP_LARGEST_SHARE) / (1 - DEEP_LARGEST_SHARE)
  return weights
}

const totalOf = (weights: Float64Array): number => weights.reduce((sum, weight) => sum + weight, 0)

/** Running sums of the weights, scaled to end at 1. */
function sumUp(weights: Float64Array): Float64Array {
  const sums = new Float64Array(weights.length)
  let sum = 0
  for (const [index, weight] of weights.entries()) {
    sum += weight
    sums[index] = sum
  }
  return sums.map((value) => value / sum)
}

/** The first position whose running sum is above `share`. */
function findSum(sums: Float64Array, share: number): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 1) > share) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The items of the opening's listings, one catalogue position each, in mixed order. An item gets its
 * part of the whole, rounded up or down by chance, so that rare items are on sale here and there.
 */
function fillShelves(
  weights: Float64Array,
  { seed, listingCount }: { readonly seed: number; readonly listingCount: number },
): Int32Array {
  const random = randomOf(seed, STREAM.rounding)
  const largestShare = listingCount >= DEEP_FROM ? DEEP_LARGEST_SHARE : LARGEST_SHARE
  const most = Math.max(1, listingCount * largestShare)
  const total = totalOf(weights)
  const positions = new Int32Array(listingCount)
  let filled = 0
  for (const [position, weight] of weights.entries()) {
    const wanted = Math.min(most, (weight / total) * listingCount)
    const count = Math.floor(wanted + random.unit())
    for (let copy = 0; copy < count && filled < listingCount; copy += 1) {
      positions[filled] = position
      filled += 1
    }
  }
  // Chance and the largest share leave some places empty: they go to whatever is abundant.
  const sums = sumUp(weights)
  for (; filled < listingCount; filled += 1) positions[filled] = findSum(sums, random.unit())
  return shuffle(positions, randomOf(seed, STREAM.shuffle))
}

/** Fisher and Yates. */
function shuffle(positions: Int32Array, random: Random): Int32Array {
  for (let last = positions.length - 1; last > 0; last -= 1) {
    const other = random.between(0, last)
    const kept = positions[last] ?? 0
    positions[last] = positions[other] ?? 0
    positions[other] = kept
  }
  return positions
}

/** Shares of strings: a few thousand sellers, and fewer bots, own all listings. */
function createSellers(seed: number): {
  readonly people: readonly string[]
  readonly bots: readonly string[]
} {
  const random = randomOf(seed, STREAM.sellers)
  const some = (count: number): readonly string[] =>
    Array.from({ length: count }, () =>
      String(FIRST_PLATFORM_ID + BigInt(random.between(40_000_000, 1_900_000_000))),
    )
  return { people: some(6_000), bots: some(250) }
}

/** Where the 64-bit ids of individual accounts begin. */
const FIRST_PLATFORM_ID = 76_561_197_960_265_728n

interface Haggling {
  readonly random: Random
  readonly stickerMills: ReadonlyMap<string, number>
  readonly auto: boolean
}

// Most ask about the reference price, some hope for more, bots a little less. Buyers pay extra for
// a very low wear, a full fade, and a small part of what the stickers had cost.
function askingPrice(asset: Asset, { random, stickerMills, auto }: Haggling): number {
  const hope = Math.min(random.exponential() * 0.09, 0.9)
  let price = asset.item.referencePriceMills * (0.93 + random.unit() * 0.06 + hope)
  if (auto) price *= 0.985
  if (asset.wear !== null && asset.wear < 0.01) price *= 1.12
  if (asset.fadePercentage !== null) price *= 1 + Math.max(0, asset.fadePercentage - 90) * 0.015
  for (const { name, wear } of asset.stickers) {
    price += (stickerMills.get(name) ?? 0) * 0.05 * (1 - wear)
  }
  return roundPrice(price)
}
