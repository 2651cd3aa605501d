import type { CatalogueItem, Listing } from '../../dataset/types.ts'
import type { DatasetKeeper } from '../../dataset-keeper.ts'

/** Market B puts the phase into the name: `★ Karambit | Doppler Phase 3 (Factory New)`. */
export interface MarketBNames {
  nameOf(item: CatalogueItem): string
  itemNamed(name: string): CatalogueItem | undefined
  listingsNamed(name: string): readonly Listing[]
}

export function createMarketBNames({ dataset }: DatasetKeeper): MarketBNames {
  const items = new Map<string, CatalogueItem>()
  const names = new Map<CatalogueItem, string>()
  for (const item of dataset.catalogue) {
    const name = withPhase(item)
    items.set(name, item)
    names.set(item, name)
  }
  return {
    nameOf: (item) => names.get(item) ?? withPhase(item),
    itemNamed: (name) => items.get(name),
    listingsNamed(name) {
      const item = items.get(name)
      if (item === undefined) return []
      const listings = dataset.listingsOf('market_b', item.marketHashName)
      return listings.filter((listing) => listing.asset.item.phase === item.phase)
    },
  }
}

function withPhase({ marketHashName, phase }: CatalogueItem): string {
  if (phase === null) return marketHashName
  const bracket = marketHashName.lastIndexOf(' (')
  if (bracket === -1) return `${marketHashName} ${phase}`
  return `${marketHashName.slice(0, bracket)} ${phase}${marketHashName.slice(bracket)}`
}
