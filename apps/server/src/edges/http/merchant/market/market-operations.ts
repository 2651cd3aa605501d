// Everything that a merchant can read of the market.
import type { RateDeps } from '#pricing'
import { createItemTexts } from '#wire/merchant/market'
import { createPriceTags } from '../../shared/market/price-tags.ts'
import { createListingsOperations, type ListingsDeps } from './listings.ts'
import { createMarketListingsOperation, type MarketListingsDeps } from './market-listings.ts'
import { createPricesOperation, type PricesDeps } from './prices.ts'
import { createSearchOperations } from './search.ts'

export type MarketDeps = RateDeps &
  Omit<ListingsDeps & PricesDeps & MarketListingsDeps, 'priceTags'>

export function createMarketOperations(deps: MarketDeps) {
  const { catalog, view, listings, clock } = deps
  const priceTags = createPriceTags({ ...deps, textsOf: createItemTexts })
  return {
    ...createSearchOperations({ view, priceTags }),
    listPrices: createPricesOperation({ view, priceTags, clock }),
    listMarketListings: createMarketListingsOperation({ view, listings, priceTags }),
    ...createListingsOperations({
      ...{ catalog, view, listings, priceTags },
      onLiveMarket: deps.onLiveMarket,
    }),
  }
}
