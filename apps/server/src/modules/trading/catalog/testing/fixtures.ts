// Fixtures for tests: items and listings as a source and a market would send them.
import { mills } from '#kernel/money'
import { itemIdOf } from '../item.ts'
import type { ItemSource, MarketId, SourceItem, SourceListing } from '../ports.ts'
import type { ItemSearch } from '../view/find-listings.ts'

export function sourceItem(change: Partial<SourceItem> & { marketHashName: string }): SourceItem {
  return {
    phase: null,
    name: change.marketHashName,
    type: 'Classified Rifle',
    itemType: 'Rifle',
    weapon: 'AK-47',
    rarity: 'Classified',
    rarityColor: 'd32ce6',
    category: 'Normal',
    collection: null,
    exterior: null,
    floatRange: [0, 1],
    iconUrl: 'https://cdn.example/icon.png',
    defIndex: 7,
    paintIndex: 282,
    referencePriceMills: mills(10_000n),
    volume: 10,
    ...change,
  }
}

export const REDLINE = sourceItem({
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  exterior: 'Field-Tested',
  volume: 500,
})
export const DRAGON_LORE = sourceItem({
  marketHashName: 'AWP | Dragon Lore (Factory New)',
  weapon: 'AWP',
  itemType: 'Sniper Rifle',
  rarity: 'Covert',
  exterior: 'Factory New',
  collection: 'The Cobblestone Collection',
  paintIndex: 344,
  volume: 2,
})
export const RUBY = sourceItem({
  marketHashName: '★ Karambit | Doppler (Factory New)',
  phase: 'Ruby',
  weapon: 'Karambit',
  itemType: 'Knife',
  rarity: 'Covert',
  exterior: 'Factory New',
  paintIndex: 415,
  volume: 5,
})

export const idOf = (item: SourceItem): string => itemIdOf(item.marketHashName, item.phase)

let lastRawId = 1000

export function sourceListing(
  item: SourceItem,
  change: Partial<SourceListing> & { readonly market?: MarketId } = {},
): SourceListing {
  return {
    market: 'market_a',
    rawId: String(++lastRawId),
    marketHashName: item.marketHashName,
    phase: item.phase,
    priceMills: mills(12_340n),
    assetId: '38691476335',
    classId: '5075999874',
    instanceId: '188530139',
    wear: '0.2154',
    paintSeed: 391,
    paintIndex: item.paintIndex,
    stickers: [],
    charm: null,
    inspectToken: '00AB12',
    delivery: 'standard',
    ...change,
  }
}

export const sourceOf = (items: readonly SourceItem[], etag = 'v1'): ItemSource => ({
  fetch: async (known) => (known === etag ? null : { etag, items, unreadable: 0, examples: [] }),
})

export async function* chunksOf(
  ...chunks: readonly (readonly SourceListing[])[]
): AsyncGenerator<readonly SourceListing[]> {
  yield* chunks
}

/** All listings of the item, the cheapest first, while both markets are up. */
export const allOf = (itemId: string): ItemSearch => ({
  itemId,
  terms: {
    ...{ minMills: null, maxMills: null, minWear: null, maxWear: null, paintSeeds: null },
    ...{ stickers: [], markets: null, delivery: null },
  },
  ...{ hasStickers: null, upMarkets: ['market_a', 'market_b'] },
  ...{ order: 'priceAsc', offset: 0, limit: 25 },
})
