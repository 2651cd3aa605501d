// Whether a price can be meant. A buyer's ceiling protects the buyer; this protects all of us from a feed
// whose numbers have gone wrong: a shifted decimal point, another currency, another item's price. Pure.
import type { Mills } from '#kernel/money'

export interface PricePolicy {
  /** So many times above or below its reference a price is not believed; 0 believes every price. */
  readonly factor: number
  /** An item that sells less often in a day has no reference that could be held against anybody. */
  readonly minVolume: number
}

export interface PriceDetails {
  readonly priceMills: Mills
  readonly referenceMills: Mills
  /** Sales a day on the markets. */
  readonly volume: number
  /** Stickers and charms may be worth a hundred times what they hang on. */
  readonly isDecorated: boolean
}

/** Below a dollar a price is mostly rounding, wear and pattern. */
const LEAST_REFERENCE_MILLS = 1000n

export type PriceVerdict = 'plausible' | 'too cheap' | 'too dear'

/**
 * Measured over the sandbox's catalogue: of 9,770 bare listings of items with a reference of a dollar or more
 * and five sales a day, none asks less than 0.89 or more than 1.96 times it; of all 27,502 listings, those
 * of a few cents with stickers among them, one in a hundred asks more than nine times as much.
 */
export function judgePrice(
  details: PriceDetails,
  { factor, minVolume }: PricePolicy,
): PriceVerdict {
  const { priceMills, referenceMills, volume, isDecorated } = details
  if (factor === 0 || volume < minVolume) return 'plausible'
  if (referenceMills < LEAST_REFERENCE_MILLS) return 'plausible'
  if (priceMills * BigInt(factor) < referenceMills) return 'too cheap'
  const isTooDear = !isDecorated && priceMills > referenceMills * BigInt(factor)
  return isTooDear ? 'too dear' : 'plausible'
}
