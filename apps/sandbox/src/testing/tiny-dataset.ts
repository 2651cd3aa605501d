import type {
  Asset,
  CatalogueItem,
  Dataset,
  DatasetOptions,
  Listing,
  ListingChange,
  MarketId,
} from '../dataset/types.ts'
import { pick, throwBetween, throwDice } from '../kernel/dice.ts'

// A dataset of five items that a test can hold in its head. It keeps the promises of `Dataset`: the
// same seed and the same calls give the same dataset, and ids are never used twice.

const PLAIN: Omit<CatalogueItem, 'marketHashName' | 'name' | 'defIndex' | 'paintIndex'> = {
  phase: null,
  type: 'Classified Rifle',
  itemType: 'Rifle',
  weapon: 'AK-47',
  rarity: 'Classified',
  rarityColor: 'D32CE6',
  category: 'Normal',
  collection: 'The Phoenix Collection',
  exterior: 'Field-Tested',
  floatRange: [0.1, 0.7],
  iconUrl: 'icon-of-the-item',
  referencePriceMills: 30_000,
  volume: 120,
}

function doppler(phase: string, paintIndex: number, referencePriceMills: number): CatalogueItem {
  return {
    ...PLAIN,
    marketHashName: '★ Karambit | Doppler (Factory New)',
    name: '★ Karambit | Doppler',
    phase,
    type: '★ Covert Knife',
    itemType: 'Knife',
    weapon: 'Karambit',
    exterior: 'Factory New',
    floatRange: [0, 0.08],
    defIndex: 507,
    paintIndex,
    referencePriceMills,
  }
}

export const TINY_CATALOGUE: readonly CatalogueItem[] = [
  {
    ...PLAIN,
    marketHashName: 'AK-47 | Redline (Field-Tested)',
    name: 'AK-47 | Redline',
    defIndex: 7,
    paintIndex: 282,
  },
  {
    ...PLAIN,
    marketHashName: 'StatTrak™ AK-47 | Redline (Field-Tested)',
    name: 'StatTrak™ AK-47 | Redline',
    category: 'StatTrak™',
    defIndex: 7,
    paintIndex: 282,
    referencePriceMills: 90_000,
  },
  doppler('Phase 3', 420, 900_000),
  doppler('Ruby', 415, 4_000_000),
  {
    ...PLAIN,
    marketHashName: 'Sticker | Say "Cheese", Please',
    name: 'Sticker | Say "Cheese", Please',
    type: 'High Grade Sticker',
    itemType: 'Sticker',
    weapon: null,
    exterior: null,
    floatRange: null,
    collection: null,
    defIndex: 1209,
    paintIndex: null,
    referencePriceMills: 500,
  },
]

interface State {
  born: number
  listings: Listing[]
}

export function createTinyDataset(options: DatasetOptions): Dataset {
  const state: State = { born: 0, listings: [] }
  const listeners = new Set<(change: ListingChange) => void>()
  const notify = (change: ListingChange): void => {
    for (const listener of listeners) listener(change)
  }
  const bear = (nowMs: number): Listing => {
    state.born += 1
    const listing = makeListing(options.seed, state.born, nowMs)
    state.listings.push(listing)
    return listing
  }
  for (let count = 0; count < options.listingCount; count += 1) bear(options.nowMs)

  const find = (market: MarketId, id: string): Listing | undefined =>
    state.listings.find((listing) => listing.market === market && listing.id === id)
  const drop = (market: MarketId, id: string, sold: boolean): boolean => {
    const listing = find(market, id)
    if (listing === undefined) return false
    state.listings = state.listings.filter((other) => other !== listing)
    notify({ kind: 'removed', listing, sold })
    return true
  }
  const setPrice = (market: MarketId, id: string, priceMills: number): Listing | undefined => {
    const before = find(market, id)
    if (before === undefined) return undefined
    const listing = { ...before, priceMills }
    state.listings = state.listings.map((other) => (other === before ? listing : other))
    notify({ kind: 'update', listing, previousPriceMills: before.priceMills })
    return listing
  }
  const of = (market: MarketId): Listing[] =>
    state.listings.filter((listing) => listing.market === market)

  return {
    catalogue: TINY_CATALOGUE,
    listing: find,
    listings: of,
    listingsOf: (market, name) =>
      of(market).filter((listing) => listing.asset.item.marketHashName === name),
    countOf: (market) => of(market).length,
    take: (market, id) => drop(market, id, true),
    putBack(listing) {
      state.listings.push(listing)
      notify({ kind: 'new', listing })
    },
    setPrice,
    remove: (market, id) => drop(market, id, false),
    tick(nowMs) {
      notify({ kind: 'new', listing: bear(nowMs) })
      const moved = state.listings[throwDice(options.seed, state.born) % state.listings.length]
      if (moved !== undefined) setPrice(moved.market, moved.id, moved.priceMills + 10)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    inventoryOf: (platformId, count) =>
      Array.from({ length: count }, (_, index) => ({
        assetId: String(20_000_000_000 + (throwDice(platformId) % 1_000_000) * 1_000 + index),
        asset: makeAsset(pick(TINY_CATALOGUE, platformId, index), platformId, index),
        tradable: index % 5 !== 0,
      })),
    dump: () => JSON.stringify(state),
    restore(dump) {
      const stored = JSON.parse(dump) as State
      state.born = stored.born
      state.listings = stored.listings.map(withOwnItem)
    },
  }
}

/** Stored listings hold copies of their items; the dataset's are one object each. */
function withOwnItem(listing: Listing): Listing {
  const { marketHashName, phase } = listing.asset.item
  const item = TINY_CATALOGUE.find(
    (own) => own.marketHashName === marketHashName && own.phase === phase,
  )
  return { ...listing, asset: { ...listing.asset, item: item ?? listing.asset.item } }
}

function makeListing(seed: number, number: number, nowMs: number): Listing {
  const item = TINY_CATALOGUE[number % TINY_CATALOGUE.length] ?? pick(TINY_CATALOGUE, number)
  const market = Math.floor(number / TINY_CATALOGUE.length) % 2 === 0 ? 'market_a' : 'market_b'
  const assetId = String(40_000_000_000 + number)
  return {
    market,
    id: market === 'market_b' ? assetId : String(5_000_000_000 + number),
    assetId,
    asset: makeAsset(item, seed, number),
    sellerId: String(76_561_197_960_265_728n + BigInt(500_000 + number)),
    priceMills: item.referencePriceMills + (number % 50),
    auto: number % 3 !== 0,
    listedAtMs: nowMs,
  }
}

function makeAsset(item: CatalogueItem, ...words: readonly (string | number)[]): Asset {
  const [least, most] = item.floatRange ?? [0, 0]
  const wear = Math.fround(least + (throwBetween(10, 90, 'wear', ...words) / 100) * (most - least))
  const hasWear = item.floatRange !== null
  return {
    item,
    classId: String(300_000_000 + TINY_CATALOGUE.indexOf(item)),
    instanceId: '188530139',
    wear: hasWear ? wear : null,
    paintSeed: hasWear ? throwBetween(0, 1000, 'seed', ...words) : null,
    fadePercentage: null,
    stickers: hasWear
      ? [
          { name: 'Sticker | One', stickerId: 11, slot: 0, wear: 0, iconUrl: 'one' },
          { name: 'Sticker | Two', stickerId: 22, slot: 2, wear: 0.5, iconUrl: 'two' },
        ]
      : [],
    charm: null,
    inspectToken: hasWear
      ? `00${throwDice(...words)
          .toString(16)
          .toUpperCase()}AB`
      : null,
  }
}
