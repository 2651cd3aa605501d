// What the catalog needs from its environment: the list of things that exist, and each market's listings.
import type { MarketId } from '#kernel/market-id'
import type { Mills } from '#kernel/money'

export type { MarketId }

/** A kind of thing, as the game's item schema describes it. */
export interface SourceItem {
  readonly marketHashName: string
  readonly phase: string | null
  readonly name: string
  readonly type: string
  readonly itemType: string
  readonly weapon: string | null
  readonly rarity: string
  readonly rarityColor: string
  readonly category: 'Normal' | 'Souvenir' | 'StatTrak™'
  readonly collection: string | null
  readonly exterior: string | null
  readonly floatRange: readonly [number, number] | null
  readonly iconUrl: string
  readonly defIndex: number
  readonly paintIndex: number | null
  /** Null where the list does not say. */
  readonly referencePriceMills: Mills | null
  /** Sales a day on the markets; null where the list does not say. */
  readonly volume: number | null
}

/** What reading a list came to. */
export interface ListReading {
  readonly etag: string
  /** Rows that are none. */
  readonly unreadable: number
  /** What the first of them are called. */
  readonly examples: readonly string[]
}

export interface ItemSource {
  /** Null when nothing changed since `etag`. Throws when the list cannot be had whole. */
  fetch(
    etag: string | null,
  ): Promise<(ListReading & { readonly items: readonly SourceItem[] }) | null>
}

/** What a market says of the price of an item, over all its sellers. */
export interface ListedPrice {
  readonly marketHashName: string
  readonly phase: string | null
  /** Each figure that it names, such as the cheapest offer and what the platform asks. */
  readonly pricesMills: readonly Mills[]
  /** Sales a day; null where it does not say. */
  readonly volume: number | null
}

/** The keyless list of prices of a market. */
export interface PriceList {
  readonly market: MarketId
  /** Throws when it cannot be had whole. */
  fetch(signal: AbortSignal): Promise<{
    /** Null where the market does not say. */
    readonly madeAt: Date | null
    readonly prices: readonly ListedPrice[]
    readonly unreadable: number
  }>
}

/** A listing as its market shows it. */
export interface SourceListing {
  readonly market: MarketId
  readonly rawId: string
  readonly marketHashName: string
  /** Null where the item has none, or the market does not say. */
  readonly phase: string | null
  readonly priceMills: Mills
  readonly assetId: string | null
  readonly classId: string | null
  readonly instanceId: string | null
  /** Decimal text, as the market spells it. */
  readonly wear: string | null
  readonly paintSeed: number | null
  readonly paintIndex: number | null
  readonly stickers: readonly SourceSticker[]
  readonly charm: {
    readonly name: string
    readonly pattern: number | null
    readonly iconUrl: string
  } | null
  /** Bare hex. */
  readonly inspectToken: string | null
  readonly delivery: 'standard' | 'instant'
  /**
   * Percent of the seller's sales that are delivered, where the market says it: for the adapter's own rule.
   * It is not written down, as each read would write most listings anew.
   */
  readonly chance?: number | null
}

export interface SourceSticker {
  readonly name: string
  readonly slot: number
  readonly wear: number | null
  readonly iconUrl: string
}

export type FeedEvent =
  | { readonly kind: 'upsert'; readonly listing: SourceListing }
  /** Price or presence only: what the event does not say stays as it was. */
  | { readonly kind: 'price'; readonly rawId: string; readonly priceMills: Mills }
  | { readonly kind: 'remove'; readonly rawId: string }
  /** A change may have been lost: a snapshot must be read again. */
  | { readonly kind: 'gap' }

/** What a market said of our account when it was last called with our key. */
export interface AccountReading {
  /** When that call began: what left later is not in the balance. */
  readonly askedAt: Date
  readonly said:
    | {
        readonly kind: 'served'
        /** What can be spent. */
        readonly balanceMills: Mills
        readonly currency: string
      }
    | {
        readonly kind: 'refused'
        readonly because: 'forbidden' | 'currency'
        readonly detail: string
      }
}

export interface MarketFeed {
  readonly id: MarketId
  /** How often a full snapshot is read again even without a gap. */
  readonly resyncMs: number
  /** Every listing of the market, in chunks. Throws when the market is away. */
  snapshot(signal: AbortSignal): AsyncIterable<readonly SourceListing[]>
  /** Live changes until aborted; reconnects by itself and reports `gap` after each loss. */
  changes(signal: AbortSignal): AsyncIterable<FeedEvent>
  /** Is the market answering at all; our account there as a by-product. */
  health(): Promise<{
    readonly online: boolean
    readonly balanceMills: Mills | null
    /** What of the account cannot be spent yet, beside the balance; where the market says it. */
    readonly settlingMills?: Mills | null
    /** Null: nothing new was learnt. */
    readonly account: AccountReading | null
    readonly detail: string
  }>
}

/** A picture in both sizes, as WebP. */
export interface PictureFiles {
  readonly small: Buffer
  readonly large: Buffer
}

export interface PictureSource {
  /**
   * What is at an address, or has the platform's hash. Null where no picture that we show is to be had,
   * however often it is asked for; throws when it may be had later.
   */
  fetch(source: string, signal: AbortSignal): Promise<PictureFiles | null>
}
