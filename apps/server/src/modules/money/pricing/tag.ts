// How one kind of caller sees prices: currency, rate and fees.
import { type Cents, cents, divideHalfUp, type Mills } from '#kernel/money'
import { ceilingOf, floorOf } from './ceiling.ts'
import { type BuyingTerms, type ListingPrice, priceListing } from './price.ts'

export interface PriceTag {
  /** The same for callers who see the same prices. */
  readonly key: string
  /** What the caller pays for what a market asks. It never falls when the market's price rises. */
  price(asked: Mills): Cents
  /** The same with what it is made of. */
  parts(asked: Mills): ListingPrice
  /** A price without fees, in the caller's currency. */
  reference(value: Mills): Cents
}

export function createPriceTag(terms: BuyingTerms, rate: bigint | null): PriceTag {
  const parts = (priceMills: Mills) => priceListing(terms, { priceMills, rate })
  return {
    key: `${terms.currency}:${rate ?? ''}:${terms.houseFeeBps}:${terms.merchantFeeBps}`,
    price: (asked) => parts(asked).price,
    parts,
    reference: (value) => referenceIn(value, rate),
  }
}

/** Half up: a reference is shown, never charged. */
const referenceIn = (value: Mills, usdPerEurMicros: bigint | null): Cents =>
  usdPerEurMicros === null
    ? cents(divideHalfUp(value, 10n))
    : cents(divideHalfUp(value * 1_000_000n, 10n * usdPerEurMicros))

/** The bounds of a caller's prices as bounds of what markets ask. Null is no bound. */
export function boundsInMills(
  tag: PriceTag,
  { minPrice, maxPrice }: { readonly minPrice: Cents | null; readonly maxPrice: Cents | null },
): { readonly minMills: Mills | null; readonly maxMills: Mills | null } {
  return {
    minMills: minPrice === null ? null : floorOf(minPrice, tag.price),
    maxMills: maxPrice === null ? null : ceilingOf(maxPrice, tag.price),
  }
}
