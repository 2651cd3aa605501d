// One copy of an item that a market offers, with everything that a caller may be shown of it.
import type { Mills } from '#kernel/money'
import type { Category, Delivery } from './item.ts'
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
  readonly referenceMills: Mills | null
  readonly description: ListingDescription
  readonly itemType: string
  readonly weapon: string | null
  readonly collection: string | null
  readonly category: Category
  readonly paintIndex: number | null
  /** Percentage 80 to 100; null for anything that is not a fade, or has no seed. */
  readonly fade: number | null
  /** Bare hex. */
  readonly inspectToken: string | null
  readonly assetId: string | null
  readonly classId: string | null
  readonly instanceId: string | null
  readonly changedAt: Date
}

/** What is remembered of a listing by those who bought it. */
export interface ListingDescription {
  readonly name: string
  readonly marketHashName: string
  readonly type: string
  readonly iconUrl: string
  readonly exterior: string | null
  readonly rarity: string
  /** Of the rarity: six hex digits. */
  readonly color: string
  readonly phase: string | null
  /** The float value as text, as the market spells it. */
  readonly wear: string | null
  readonly paintSeed: number | null
  readonly stickers: readonly ListingSticker[]
  readonly charm: ListingCharm | null
  readonly delivery: Delivery
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

/** A listing with what a buyer must know before it may be taken. */
export interface ListingForSale extends Listing {
  /** In the market's feed, and not bought through us. */
  readonly available: boolean
  /** Its market is switched on and answering, and our account there covers its price. */
  readonly marketAvailable: boolean
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
