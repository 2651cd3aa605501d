// Everything that a partner or a child can read of the market.
import type { RateDeps } from '#pricing'
import { createPartnerItemTexts } from '#wire/partner/market'
import { createPriceTags } from '../../shared/market/price-tags.ts'
import { createItemOperations, type ItemsDeps } from './items.ts'
import { createListingsOperations, type ListingsDeps } from './listings.ts'
import { createSearchOperations } from './search.ts'

export type PartnerMarketDeps = RateDeps & Omit<ListingsDeps & ItemsDeps, 'priceTags'>

export function createPartnerMarketOperations(deps: PartnerMarketDeps) {
  const priceTags = createPriceTags({ ...deps, textsOf: createPartnerItemTexts })
  const parts = { ...deps, priceTags }
  return {
    ...createSearchOperations(parts),
    ...createListingsOperations(parts),
    ...createItemOperations(parts),
  }
}
