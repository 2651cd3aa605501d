// The merchant interface's view of the catalogue. A search answers with texts that were made before:
// what never moves of an item is written once, what moves once for each price and way of paying.
import type {
  Doppler,
  MarketListing,
  PriceHistoryDay,
  ListingSticker as StickerShape,
} from '@tradepost/contract'
import type { CatalogItem, Entry, Listing, PriceDay } from '#catalog'
import { type Mills, mills } from '#kernel/money'
import type { PriceTag } from '#pricing'
import { lasting, open } from '../item-texts.ts'
import { moneyNumber } from '../money.ts'

/** Texts of items as JSON. One renderer a price tag. */
export interface ItemTexts {
  /** SearchResultItem */
  searchItem(entry: Entry): string
  /** PriceItem */
  priceItem(entry: Entry): string
}

export function createItemTexts(tag: PriceTag): ItemTexts {
  // By identity: an entry that leaves the catalogue takes its text with it.
  const figures = new WeakMap<Entry, { readonly version: number; readonly text: string }>()
  const figuresOf = (entry: Entry): string => {
    const known = figures.get(entry)
    if (known?.version === entry.version) return known.text
    const text = figuresText(entry, tag)
    figures.set(entry, { version: entry.version, text })
    return text
  }
  return {
    searchItem: (entry) => `${lasting(searchHeads, entry.item, searchHead)}${figuresOf(entry)}`,
    priceItem: (entry) => `${lasting(priceHeads, entry.item, priceHead)}${figuresOf(entry)}`,
  }
}

/** SuggestionItem */
export const suggestionText = (item: CatalogItem): string =>
  lasting(suggestions, item, (one) =>
    JSON.stringify({
      id: one.id,
      marketHashName: one.marketHashName,
      iconUrl: one.iconUrl,
      rarity: one.rarity,
      rarityColor: one.rarityColor,
      itemType: one.itemType,
    }),
  )

const searchHeads = new WeakMap<CatalogItem, string>()
const priceHeads = new WeakMap<CatalogItem, string>()
const suggestions = new WeakMap<CatalogItem, string>()

const searchHead = (item: CatalogItem): string =>
  open({
    id: item.id,
    name: item.name,
    marketHashName: item.marketHashName,
    itemType: item.itemType,
    iconUrl: item.iconUrl,
    ...(item.weapon !== null && { weapon: item.weapon }),
    ...(item.exterior !== null && { wear: item.exterior }),
    rarity: item.rarity,
    rarityColor: item.rarityColor,
    category: item.category,
    ...(item.collection !== null && { collection: item.collection }),
    ...(item.floatRange !== null && { floatRange: item.floatRange }),
  })

const priceHead = (item: CatalogItem): string =>
  open({ id: item.id, marketHashName: item.marketHashName })

/** What of an item moves, and the end of its object. */
function figuresText(entry: Entry, tag: PriceTag): string {
  const { lowest, instant } = entry
  const price =
    lowest === null
      ? ''
      : `,"price":{"standard":${shown(tag, lowest)},"instant":${instant === null ? null : shown(tag, instant)}}`
  const reference = entry.item.referenceMills
  const platformPrice =
    reference === null ? '' : `,"platformPrice":${moneyNumber(tag.reference(reference))}`
  return `${price},"listingsCount":${entry.standardCount + entry.instantCount}${platformPrice}}`
}

const shown = (tag: PriceTag, asked: Mills): number => moneyNumber(tag.price(asked))

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
    rarity: description.rarity,
    ...(listing.collection !== null && { collection: listing.collection }),
    color: description.color,
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

function dopplerOf({ description, paintIndex }: Listing): { doppler?: Doppler } {
  if (description.phase === null) return {}
  return {
    doppler: { status: true, name: description.phase, ...(paintIndex !== null && { paintIndex }) },
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
  lowest: shown(tag, mills(day.lowest * 10n)),
  median: shown(tag, mills(day.median * 10n)),
  highest: shown(tag, mills(day.highest * 10n)),
})
