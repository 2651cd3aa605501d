import { roundPrice } from './appraise.ts'
import type { CatalogueEntry } from './catalogue.ts'
import type { ListingIndex, Offer } from './listing-index.ts'
import type { Random } from './random.ts'
import type { MarketId } from './types.ts'

/** One change of the market's own activity. */
export type ActivityStep =
  | { readonly kind: 'move'; readonly offer: Offer; readonly priceMills: number }
  | { readonly kind: 'leave'; readonly offer: Offer; readonly sold: boolean }
  | { readonly kind: 'arrive' }

/**
 * Decides the next change; null when there is nothing to do. It depends on the listings on sale and not on
 * their history, so that after a restart the same random numbers give the same changes.
 */
export function decideStep(
  random: Random,
  dataset: {
    readonly listingIndex: ListingIndex
    readonly listingCount: number
    chooseEntry(random: Random): CatalogueEntry
  },
): ActivityStep | null {
  const { listingIndex, listingCount } = dataset
  if (listingCount === 0) return null
  if (random.chance(PRICE_MOVES)) {
    const offer = chooseOffers(random, dataset, 1)[0]
    return offer === undefined
      ? null
      : { kind: 'move', offer, priceMills: nextPrice(offer, random) }
  }
  const slack = Math.max(1, listingCount * SLACK)
  const surplus = listingIndex.count - listingCount
  const isArrival = surplus < -slack || (surplus <= slack && random.chance(0.5))
  if (isArrival) return { kind: 'arrive' }
  // A simulated buyer compares a few listings and takes the cheapest; some sellers withdraw theirs.
  const offer = chooseOffers(random, dataset, 3).reduce<Offer | undefined>(
    (best, next) =>
      best === undefined || next.listing.priceMills < best.listing.priceMills ? next : best,
    undefined,
  )
  return offer === undefined ? null : { kind: 'leave', offer, sold: random.chance(SOLD) }
}

const PRICE_MOVES = 0.55
const SOLD = 0.85
/** How far the number of listings may drift before it is drawn back. */
const SLACK = 0.01
/** One choice of an item finds it out of stock one time in twenty in a dataset of full size. */
const CHOICES = 25
const MARKETS: readonly MarketId[] = ['market_a', 'market_b']

/** Up to `count` offers of one item; the item is likely as it is abundant. */
function chooseOffers(
  random: Random,
  dataset: { readonly listingIndex: ListingIndex; chooseEntry(random: Random): CatalogueEntry },
  count: number,
): readonly Offer[] {
  const { listingIndex } = dataset
  if (listingIndex.count === 0) return []
  for (let choice = 0; choice < CHOICES; choice += 1) {
    const name = dataset.chooseEntry(random).item.marketHashName
    const offers = MARKETS.flatMap((market) => listingIndex.named(market, name))
    if (offers.length > 0) return Array.from({ length: count }, () => random.pick(offers))
  }
  // In a tiny dataset most items are out of stock: there anything on sale will do.
  const all = MARKETS.flatMap((market) => [...listingIndex.all(market)])
  return [random.pick(all.sort((left, right) => left.number - right.number))]
}

/**
 * A step of a percent or two, drawn a little towards the first price. It does not go far from there
 * by itself; a price that was set far away comes back step by step, not at once.
 */
function nextPrice({ listing, firstPriceMills }: Offer, random: Random): number {
  const { priceMills } = listing
  const drift = 0.03 * Math.log(firstPriceMills / priceMills)
  const wanted = priceMills * Math.exp(random.normal() * 0.015 + drift)
  const least = Math.min(priceMills, firstPriceMills * 0.6)
  const most = Math.max(priceMills, firstPriceMills * 1.8)
  const next = roundPrice(Math.min(Math.max(wanted, least), most))
  if (next !== priceMills) return next
  // Small prices move by the smallest step there is, and upwards from the bottom.
  const step = priceMills >= 1000 ? 10 : 1
  const lower = roundPrice(priceMills - step)
  return lower < priceMills && random.chance(0.5) ? lower : priceMills + step
}
