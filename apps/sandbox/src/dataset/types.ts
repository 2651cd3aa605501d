// The types that the dataset and the parties share. Money here is in mills (1/1000 USD), the unit of both
// markets' protocols.

export type MarketId = 'market_a' | 'market_b'

/** One kind of thing that can be traded: a market hash name, split by phase where phases exist. */
export interface CatalogueItem {
  readonly marketHashName: string
  /** 'Phase 1'..'Phase 4', 'Ruby', 'Sapphire', 'Black Pearl', 'Emerald'; null where there is none. */
  readonly phase: string | null
  readonly name: string
  /** The platform's type line, for example 'Covert Rifle'. */
  readonly type: string
  readonly itemType: string
  readonly weapon: string | null
  readonly rarity: string
  /** Six hex digits, no '#'. */
  readonly rarityColor: string
  readonly category: 'Normal' | 'Souvenir' | 'StatTrak™'
  readonly collection: string | null
  readonly exterior: string | null
  readonly floatRange: readonly [number, number] | null
  /** The raw hash of the picture, as the platform's `icon_url`: a reader sets his own base before it. */
  readonly iconUrl: string
  readonly defIndex: number
  readonly paintIndex: number | null
  /** The game's number of a sticker, charm, patch, graffiti or music kit; absent for all else. */
  readonly artIndex?: number
  readonly referencePriceMills: number
  /** Sales a day that the market reports; orders the curated list. */
  readonly volume: number
}

export interface AppliedSticker {
  /** The market hash name of the sticker as an item: 'Sticker | Crown (Foil)'. */
  readonly name: string
  readonly stickerId: number
  readonly slot: number
  /** 0 = fresh, 1 = scraped off. */
  readonly wear: number
  readonly iconUrl: string
}

export interface AppliedCharm {
  /** The market hash name of the charm as an item. */
  readonly name: string
  readonly charmId: number
  readonly pattern: number
  readonly iconUrl: string
}

/** One individual copy of an item: what the platform calls an asset. */
export interface Asset {
  readonly item: CatalogueItem
  readonly classId: string
  readonly instanceId: string
  /** float32 value, inside the item's range; null for things without wear. */
  readonly wear: number | null
  readonly paintSeed: number | null
  /** Percentage 80..100 for fades, derived from the seed. */
  readonly fadePercentage: number | null
  readonly stickers: readonly AppliedSticker[]
  readonly charm: AppliedCharm | null
  /** Bare upper-case hex inspect token (serialised CEconItemPreviewDataBlock); null where none exists. */
  readonly inspectToken: string | null
}

export interface Listing {
  readonly market: MarketId
  /** The supplier's own id: numeric string, unique inside the market. */
  readonly id: string
  /** The platform's asset id (market_b uses it as its id as well). */
  readonly assetId: string
  readonly asset: Asset
  /** 64-bit platform id of the seller. */
  readonly sellerId: string
  readonly priceMills: number
  /** Automatic (instant) delivery by a bot, or by a seller who must confirm. */
  readonly auto: boolean
  readonly listedAtMs: number
}

export type ListingChange =
  | { readonly kind: 'new'; readonly listing: Listing }
  | { readonly kind: 'update'; readonly listing: Listing; readonly previousPriceMills: number }
  /** `sold` is known inside the sandbox only; market B does not report it. */
  | { readonly kind: 'removed'; readonly listing: Listing; readonly sold: boolean }

/** The moving dataset. Deterministic: the same seed and the same calls give the same dataset. */
export interface Dataset {
  readonly catalogue: readonly CatalogueItem[]
  listing(market: MarketId, id: string): Listing | undefined
  listings(market: MarketId): Iterable<Listing>
  listingsOf(market: MarketId, marketHashName: string): readonly Listing[]
  countOf(market: MarketId): number
  /** Takes a listing off the market because it was bought here. False when it is gone already. */
  take(market: MarketId, id: string): boolean
  /** Puts a taken listing back (an order that failed by the seller's absence). */
  putBack(listing: Listing): void
  setPrice(market: MarketId, id: string, priceMills: number): Listing | undefined
  remove(market: MarketId, id: string): boolean
  /** One step of activity: some prices move, some listings are sold, new ones appear. */
  tick(nowMs: number): void
  /** Called for every change, in order. Returns the way to stop. */
  subscribe(listener: (change: ListingChange) => void): () => void
  /** An inventory of `count` copies for a persona, the same each time for the same id. */
  inventoryOf(
    platformId: string,
    count: number,
  ): readonly { readonly assetId: string; readonly asset: Asset; readonly tradable: boolean }[]
  /** What must survive a restart beyond the seed; `restore` is called once, before the first tick. */
  dump(): string
  restore(dump: string): void
}

export interface DatasetOptions {
  readonly seed: number
  /** Over both markets together; 50,000 at least in a normal start. */
  readonly listingCount: number
  /** Of the kinds of items the most abundant ones; all by default. */
  readonly itemCount?: number
  readonly nowMs: number
  /** Changes per tick: price moves, sales, arrivals. */
  readonly changesPerTick: number
}
