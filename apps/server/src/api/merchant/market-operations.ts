// Everything that a merchant can read of the market.
import type { Operation } from '../shared/operation.ts'
import { createListingsOperations, type ListingsDeps } from './market-listings.ts'
import { createPriceTags, type PriceTagDeps } from './market-price-tags.ts'
import { createPricesOperation, type PricesDeps } from './market-prices.ts'
import { createSearchOperations } from './market-search.ts'

export type MarketDeps = PriceTagDeps & Omit<ListingsDeps & PricesDeps, 'priceTags'>

export function createMarketOperations(deps: MarketDeps): Operation[] {
  const { catalog, view, clock } = deps
  const priceTags = createPriceTags(deps)
  return [
    ...createSearchOperations({ view, priceTags }),
    createPricesOperation({ view, priceTags, clock }),
    ...createListingsOperations({ catalog, view, priceTags, onLiveMarket: deps.onLiveMarket }),
  ]
}
