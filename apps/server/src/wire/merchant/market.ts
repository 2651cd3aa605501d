// The merchant interface's view of the catalogue. A search answers with texts that were made before:
// what never moves of an item is written once, what moves once for each price and way of paying.
import type {
  FoundListing,
  MarketListing,
  PriceHistoryDay,
  ListingSticker as StickerShape,
} from '@tradepost/contract'
import type { Entry, Listing, PriceDay } from '#catalog'
import { type Cents, type Mills, mills } from '#kernel/money'
import type { PriceTag } from '#pricing'
import { keptFigures, keptHeads, open } from '../item-texts.ts'
import { moneyNumber } from '../money.ts'

/** Texts of items as JSON. One renderer a price tag. */
export interface ItemTexts {
  /** SearchResultItem */
  searchItem(entry: Entry): string
  /** PriceItem */
  priceItem(entry: Entry): string
}

export function createItemTexts(tag: PriceTag): ItemTexts {
  const figuresOf = keptFigures((entry) => figuresText(entry, tag))
  return {
    searchItem: (entry) => `${searchHeadOf(entry)}${figuresOf(entry)}}`,
    priceItem: (entry) => `${priceHeadOf(entry)}${figuresOf(entry)}${salesText(entry, tag)}}`,
  }
}

/** SuggestionItem */
export const suggestionText = keptHeads((item) =>
  JSON.stringify({
    id: item.id,
    marketHashName: item.marketHashName,
    iconUrl: item.iconUrl,
    ...rarityOf(item),
    itemType: item.itemType,
  }),
)

/** An item of which only the name is known has none. */
const rarityOf = ({ rarity, rarityColor }: Entry['item']) =>
  rarity === '' ? {} : { rarity, rarityColor }

const searchHeadOf = keptHeads((item) =>
  open({
    id: item.id,
    name: item.name,
    marketHashName: item.marketHashName,
    itemType: item.itemType,
    iconUrl: item.iconUrl,
    ...(item.weapon !== null && { weapon: item.weapon }),
    ...(item.exterior !== null && { wear: item.exterior }),
    ...(item.phase !== null && { phase: item.phase }),
    ...rarityOf(item),
    category: item.category,
    ...(item.collection !== null && { collection: item.collection }),
    ...(item.floatRange !== null && { floatRange: item.floatRange }),
  }),
)

const priceHeadOf = keptHeads((item) =>
  open({
    id: item.id,
    marketHashName: item.marketHashName,
    ...(item.phase !== null && { phase: item.phase }),
  }),
)

/** What of an item moves with prices and stock. */
function figuresText(entry: Entry, tag: PriceTag): string {
  const { lowest, instant } = entry
  const price =
    lowest === null
      ? ''
      : `,"price":{"standard":${shown(tag, lowest)},"instant":${instant === null ? null : shown(tag, instant)}}`
  const reference = entry.item.referenceMills
  const platformPrice =
    reference === null ? '' : `,"platformPrice":${moneyNumber(tag.reference(reference))}`
  return `${price},"listingsCount":${entry.standardCount + entry.instantCount}${platformPrice}`
}

function salesText({ item }: Entry, tag: PriceTag): string {
  const { weekSales, lastSale } = item
  const last =
    lastSale === null
      ? null
      : JSON.stringify({ price: sold(tag, lastSale.cents), at: lastSale.at.toISOString() })
  return `,"volume7d":${weekSales},"lastSale":${last}`
}

const shown = (tag: PriceTag, asked: Mills): number => moneyNumber(tag.price(asked))
/** What is remembered of sales is a sourcing price in cents. */
const sold = (tag: PriceTag, price: Cents): number => shown(tag, mills(price * 10n))

export function listingView(listing: Listing, tag: PriceTag): MarketListing {
  const { description } = listing
  return {
    id: String(listing.id),
    assetId: listing.assetId,
    classId: listing.classId,
    instanceId: listing.instanceId,
    price: shown(tag, listing.priceMills),
    referencePrice:
      listing.referenceMills === null ? null : moneyNumber(tag.reference(listing.referenceMills)),
    name: description.name,
    marketHashName: description.marketHashName,
    type: description.type,
    iconUrl: description.iconUrl,
    ...(description.exterior !== null && { exterior: description.exterior }),
    ...(description.rarity !== '' && { rarity: description.rarity }),
    ...(listing.collection !== null && { collection: listing.collection }),
    ...(description.color !== '' && { color: description.color }),
    wear: description.wear,
    paintSeed: description.paintSeed,
    ...dopplerOf(listing),
    ...(listing.fade !== null && { fade: { percentage: listing.fade } }),
    ...(description.stickers.length > 0 && { stickers: description.stickers.map(stickerView) }),
    ...(description.charm !== null && { charm: charmView(description.charm) }),
    previewToken: listing.inspectToken,
    delivery: description.delivery,
  }
}

/** A row of GET /market/listings. */
export const foundListingView = (listing: Listing, tag: PriceTag): FoundListing => ({
  ...listingView(listing, tag),
  itemId: listing.itemId,
})

function dopplerOf({ description, paintIndex }: Listing): Pick<MarketListing, 'phase' | 'doppler'> {
  if (description.phase === null) return {}
  const { phase } = description
  return {
    phase,
    doppler: { status: true, name: phase, ...(paintIndex !== null && { paintIndex }) },
  }
}

const stickerView = (sticker: Listing['description']['stickers'][number]): StickerShape => ({
  name: sticker.name,
  slot: sticker.slot,
  ...(sticker.wear !== null && { wear: sticker.wear }),
  iconUrl: sticker.iconUrl,
})

const charmView = (
  charm: NonNullable<Listing['description']['charm']>,
): NonNullable<MarketListing['charm']> => ({
  name: charm.name,
  ...(charm.pattern !== null && { pattern: charm.pattern }),
  iconUrl: charm.iconUrl,
})

/** A day's prices as the caller would have paid them with the fees and the rate of now. */
export const historyDayView = (day: PriceDay, tag: PriceTag): PriceHistoryDay => ({
  date: day.date,
  volume: day.volume,
  lowest: sold(tag, day.lowest),
  median: sold(tag, day.median),
  highest: sold(tag, day.highest),
})
