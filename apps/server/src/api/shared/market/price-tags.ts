// Prices as a caller sees them: the same arithmetic as a buy's, so that what is shown is what is paid.

import { type Cents, cents, divideHalfUp, type Mills } from '#kernel/money'
import { priceOf, sourcingIn } from '#pricing'
import { createItemTexts, type ItemTexts, type PriceTag } from '#wire/merchant/market'
import type { AccountCaller } from '../operation.ts'

/** A price tag with the texts that were written with it. */
export interface TaggedTexts extends ItemTexts {
  readonly tag: PriceTag
}

export interface PriceTagDeps {
  /** US dollars for one euro in millionths; refuses when the rate is too old. */
  currentRate(): Promise<bigint>
}

export type PriceTags = (
  account: Pick<AccountCaller, 'currency' | 'houseFeeBps' | 'merchantBuyFeeBps'>,
) => Promise<TaggedTexts>

/** Texts of a whole catalogue are some megabytes for each tag; callers share a few tags. */
const REMEMBERED_TAGS = 24

export function createPriceTags({ currentRate }: PriceTagDeps): PriceTags {
  const known = new Map<string, TaggedTexts>()
  return async ({ currency, houseFeeBps, merchantBuyFeeBps }) => {
    const rate = currency === 'EUR' ? await currentRate() : null
    const key = `${currency}:${rate ?? ''}:${houseFeeBps}:${merchantBuyFeeBps}`
    let texts = known.get(key)
    if (texts === undefined) {
      const tag: PriceTag = {
        key,
        price: (asked) =>
          priceOf({
            sourcing: sourcingIn(currency, asked, rate),
            houseFeeBps,
            merchantFeeBps: merchantBuyFeeBps,
          }).price,
        reference: (value) => referenceIn(value, rate),
      }
      texts = { tag, ...createItemTexts(tag) }
      if (known.size >= REMEMBERED_TAGS) known.delete(known.keys().next().value as string)
    } else {
      known.delete(key)
    }
    known.set(key, texts)
    return texts
  }
}

/** Half up: a reference is shown, never charged. */
const referenceIn = (value: Mills, usdPerEurMicros: bigint | null): Cents =>
  usdPerEurMicros === null
    ? cents(divideHalfUp(value, 10n))
    : cents(divideHalfUp(value * 1_000_000n, 10n * usdPerEurMicros))

/** A million dollars and a little: no listing asks more. */
const HIGHEST_MILLS = 2_000_000_000n

/**
 * The bounds of a caller's prices as bounds of what markets ask. Null is no bound; a least price that
 * nothing can reach comes out above every listing.
 */
export function boundsInMills(
  tag: PriceTag,
  { minPrice, maxPrice }: { readonly minPrice: Cents | null; readonly maxPrice: Cents | null },
): { readonly minMills: Mills | null; readonly maxMills: Mills | null } {
  return {
    minMills: minPrice === null ? null : firstMills((asked) => tag.price(asked) >= minPrice),
    maxMills:
      maxPrice === null
        ? null
        : ((firstMills((asked) => tag.price(asked) > maxPrice) - 1n) as Mills),
  }
}

/** The least asked price that `fits`, by halving: prices rise with what is asked. */
function firstMills(fits: (asked: Mills) => boolean): Mills {
  let low = 0n
  let high = HIGHEST_MILLS
  while (low < high) {
    const middle = (low + high) / 2n
    if (fits(middle as Mills)) high = middle
    else low = middle + 1n
  }
  return low as Mills
}
