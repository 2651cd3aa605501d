// The guard before a purchase: a price that cannot be meant is not paid, and becomes a case.

import type { PlacingDeps } from '#buying'
import { type Catalog, judgePrice, type PricePolicy } from '#catalog'
import type { ReportCase } from '#reconciliation'

export interface PriceGuardDeps {
  readonly catalog: Pick<Catalog, 'referenceOf'>
  readonly policy: PricePolicy
  readonly report: ReportCase
}

export function createPriceGuard({
  catalog,
  policy,
  report,
}: PriceGuardDeps): NonNullable<PlacingDeps['doubtPrice']> {
  return async ({ id, market, rawListingId, sourcingMills: priceMills }) => {
    const reference = await catalog.referenceOf(market, rawListingId)
    if (reference === null) return null
    const verdict = judgePrice({ priceMills, ...reference }, policy)
    if (verdict === 'plausible') return null
    const { referenceMills, volume } = reference
    const facts = { itemId: id, market, rawListingId, priceMills, referenceMills, verdict }
    await report('price_outlier', facts, { volume })
    return `the price is ${verdict} to be meant`
  }
}
