// The partner interface's view of the catalogue. Prices are in US dollars: the base price, and what the
// caller pays. v1 and v2 differ in the names of markets only.
import type {
  ItemOfMap,
  ItemVariant,
  LegacyMarket,
  ListingFailure,
  ListingItemV1,
  ListingItemV2,
  PartnerItem,
  PartnerMarket,
} from '@tradepost/contract'
import type { CatalogItem, Entry } from '#catalog'
import type { Mills } from '#kernel/money'
import { type PriceTag, sourcingIn } from '#pricing'
import type { ItemDescription } from '#trades'
import { keptFigures, keptHeads, open } from '../item-texts.ts'
import { moneyNumber } from '../money.ts'

/** What a market asks, in dollars: what a buy has to name. */
const baseNumber = (asked: Mills): number => moneyNumber(sourcingIn('USD', asked, null))

const priceOrNull = (asked: Mills | null, price: (asked: Mills) => number): number | null =>
  asked === null ? null : price(asked)

const referenceOf = (item: CatalogItem, tag: PriceTag): number | null =>
  item.referenceMills === null ? null : moneyNumber(tag.reference(item.referenceMills))

// ---------------------------------------------------------------- search

/** Texts of items as JSON. One renderer a price tag. */
export interface PartnerItemTexts {
  /** SearchItem */
  searchItem(entry: Entry, popularity: number): string
}

export function createPartnerItemTexts(tag: PriceTag): PartnerItemTexts {
  const figuresOf = keptFigures((entry) => figuresText(entry, tag))
  return {
    searchItem: (entry, popularity) => `${headOf(entry)}${figuresOf(entry)}${popularity}}`,
  }
}

const headOf = keptHeads((item) =>
  open({
    id: item.id,
    marketHashName: item.marketHashName,
    type: item.type,
    iconUrl: item.iconUrl,
    exterior: item.exterior,
    rarity: item.rarity || null,
    collection: item.collection,
    color: item.rarityColor || null,
    weapon: item.weapon,
  }),
)

const figuresText = (entry: Entry, tag: PriceTag): string =>
  `,"price":${priceOrNull(entry.lowest, baseNumber)},"platformPrice":${referenceOf(entry.item, tag)}` +
  `,"sellingTotal":${entry.standardCount + entry.instantCount},"popularity":`

/** Suggestion */
export const suggestionText = keptHeads((item) =>
  JSON.stringify({
    id: item.id,
    marketHashName: item.marketHashName,
    iconUrl: item.iconUrl,
    rarity: item.rarity,
    color: item.rarityColor,
  }),
)

// ---------------------------------------------------------------- items

export function itemView(entry: Entry, tag: PriceTag, popularity: number): PartnerItem {
  const { item, lowest } = entry
  return {
    id: item.id,
    marketHashName: item.marketHashName,
    type: item.type,
    iconUrl: item.iconUrl,
    platformPrice: referenceOf(item, tag),
    exterior: item.exterior,
    rarity: item.rarity || null,
    collection: item.collection,
    color: item.rarityColor || null,
    weapon: item.weapon,
    sellingTotal: entry.standardCount + entry.instantCount,
    popularity,
    price: priceOrNull(lowest, baseNumber),
    priceWithFee: priceOrNull(lowest, (asked) => moneyNumber(tag.price(asked))),
  }
}

export const variantView = (entry: Entry, tag: PriceTag): ItemVariant => ({
  itemId: entry.item.id,
  exterior: entry.item.exterior,
  category: entry.item.category,
  price: priceOrNull(entry.lowest, baseNumber),
  platformPrice: referenceOf(entry.item, tag),
  stock: entry.standardCount + entry.instantCount,
})

/** `fastOnly` shows what is delivered automatically alone. */
export function itemOfMapView(entry: Entry, tag: PriceTag, fastOnly: boolean): ItemOfMap {
  const asked = fastOnly ? entry.instant : entry.lowest
  return {
    itemId: entry.item.id,
    price: priceOrNull(asked, baseNumber),
    priceWithFee: priceOrNull(asked, (mills) => moneyNumber(tag.price(mills))),
    stock: entry.instantCount + (fastOnly ? 0 : entry.standardCount),
    fastDelivery: entry.instantCount > 0,
  }
}

// ---------------------------------------------------------------- listings

/** What of a listing is shown, be it for sale or bought. */
export interface ShownListing {
  readonly id: bigint
  readonly itemId: string
  readonly market: string
  readonly priceMills: Mills
  readonly referenceMills: Mills | null
  readonly collection: string | null
  readonly description: ItemDescription
}

export function listingViewV2(listing: ShownListing, tag: PriceTag): ListingItemV2 {
  const { description } = listing
  // Partners pay in dollars, so what the market asks is part of the price.
  const { sourcing, price } = tag.parts(listing.priceMills)
  return {
    itemId: listing.itemId,
    id: String(listing.id),
    marketHashName: description.marketHashName,
    type: description.type ?? '',
    iconUrl: description.iconUrl ?? '',
    price: moneyNumber(sourcing),
    priceWithFee: moneyNumber(price),
    platformPrice:
      listing.referenceMills === null ? null : moneyNumber(tag.reference(listing.referenceMills)),
    delivery: description.delivery === 'instant' ? 'auto' : 'normal',
    market: listing.market as PartnerMarket,
    exterior: description.exterior,
    wear: description.wear === null ? null : Number(description.wear),
    paintSeed: description.paintSeed,
    rarity: description.rarity ?? '',
    collection: listing.collection,
    color: description.color || null,
    stickers: description.stickers.map(({ name, slot, wear, iconUrl }) => ({
      name,
      slot,
      ...(wear !== null && { wear }),
      iconUrl,
    })),
    charm:
      description.charm === null
        ? null
        : {
            name: description.charm.name,
            ...(description.charm.pattern !== null && { pattern: description.charm.pattern }),
            iconUrl: description.charm.iconUrl,
          },
  }
}

/** The same listing under v1's name of its market. */
export const asV1 = (listing: ListingItemV2): ListingItemV1 => ({
  ...listing,
  market: LEGACY_NAMES[listing.market],
})

export const isFailure = (entry: ListingItemV2 | ListingFailure): entry is ListingFailure =>
  'error' in entry

const LEGACY_NAMES: Readonly<Record<PartnerMarket, LegacyMarket>> = {
  market_a: 'market_a_short',
  market_b: 'market_b',
}

/** The market that v1 means; null for one that is not connected. */
export const marketOfV1 = (name: LegacyMarket): PartnerMarket | null =>
  (Object.keys(LEGACY_NAMES) as PartnerMarket[]).find((market) => LEGACY_NAMES[market] === name) ??
  null
