// The guard before a purchase: an implausible price is not paid, and is reported.
import type { Mills } from '#kernel/money'
import { judgePrice, type PricePolicy, type PriceVerdict } from './judge-price.ts'
import type { MarketId } from './ports.ts'
import type { PriceReference } from './store/references.ts'

export interface PriceGuardDeps {
  referenceOf(market: MarketId, rawListingId: string): Promise<PriceReference | null>
  readonly policy: PricePolicy
  onOutlier(outlier: PriceOutlier): Promise<void>
}

export interface PricedItem {
  readonly id: string
  readonly market: MarketId
  readonly rawListingId: string
  readonly sourcingMills: Mills
}

export interface PriceOutlier {
  readonly itemId: string
  readonly market: MarketId
  readonly rawListingId: string
  readonly priceMills: Mills
  readonly referenceMills: Mills
  readonly volume: number
  readonly verdict: PriceVerdict
}

/** Why the item must not be bought at its price; null when the price is plausible or has no reference. */
export function createPriceGuard({
  referenceOf,
  policy,
  onOutlier,
}: PriceGuardDeps): (item: PricedItem) => Promise<string | null> {
  return async ({ id, market, rawListingId, sourcingMills: priceMills }) => {
    const reference = await referenceOf(market, rawListingId)
    if (reference === null) return null
    const verdict = judgePrice({ priceMills, ...reference }, policy)
    if (verdict === 'plausible') return null
    const { referenceMills, volume } = reference
    await onOutlier({
      itemId: id,
      market,
      rawListingId,
      priceMills,
      referenceMills,
      volume,
      verdict,
    })
    return `the price is ${verdict} against its reference`
  }
}
