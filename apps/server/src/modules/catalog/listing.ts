// One copy of an item that a market offers, with everything that a caller may be shown of it.
import type { Cents, Mills } from '#kernel/money'
import type { CatalogItem, Delivery } from './item.ts'
import type { MarketId } from './ports.ts'

export interface Listing {
  readonly id: bigint
  readonly market: MarketId
  /** The supplier's own id. */
  readonly rawId: string
  readonly itemId: string
  readonly game: string
  /** What the market asks. */
  readonly priceMills: Mills
  /** The same in cents, rounded up: what every price to a buyer starts from. */
  readonly sourcing: Cents
  /** The item's reference price in US cents. */
  readonly reference: Cents | null
  readonly name: string
  readonly marketHashName: string
  readonly type: string
  readonly iconUrl: string
  readonly itemType: string
  readonly weapon: string | null
  readonly exterior: string | null
  readonly rarity: string
  /** Of the rarity: six hex digits. */
  readonly color: string
  readonly collection: string | null
  readonly category: CatalogItem['category']
  readonly phase: string | null
  /** The float value as text, as the market spells it. */
  readonly wear: string | null
  readonly paintSeed: number | null
  readonly paintIndex: number | null
  /** Percentage 80 to 100; null for anything that is not a fade, or has no seed. */
  readonly fade: number | null
  readonly stickers: readonly ListingSticker[]
  readonly charm: ListingCharm | null
  readonly inspectToken: string | null
  readonly assetId: string | null
  readonly classId: string | null
  readonly instanceId: string | null
  readonly delivery: Delivery
  readonly changedAt: Date
}

export interface ListingSticker {
  readonly name: string
  readonly slot: number
  readonly wear: number | null
  readonly iconUrl: string
}

export interface ListingCharm {
  readonly name: string
  readonly pattern: number | null
  readonly iconUrl: string
}

/** What a buy must know before it may take a listing. */
export interface ListingForSale extends Listing {
  /** The market offers it. */
  readonly live: boolean
  /** Somebody bought it through us already. */
  readonly taken: boolean
  /** The operator's switch. */
  readonly marketEnabled: boolean
  /** What the health checks say. */
  readonly marketOnline: boolean
}

/** The part of a listing that is stored as one value, because it is shown and never asked for. */
export interface ListingDetails {
  readonly assetId: string | null
  readonly classId: string | null
  readonly instanceId: string | null
  readonly paintIndex: number | null
  readonly stickers: readonly ListingSticker[]
  readonly charm: ListingCharm | null
  readonly inspectToken: string | null
}
