import { throwBetween } from '../../kernel/dice.ts'
import type { Listing } from '../../world/types.ts'

/** How likely the seller hands over in time, in percent: bots nearly always, people less so. */
export function chanceToTransfer(listing: Listing): number {
  return listing.auto
    ? throwBetween(95, 100, 'chance', listing.sellerId)
    : throwBetween(50, 94, 'chance', listing.sellerId)
}

/** The market writes floats with 14 digits, which still names one float32. */
export function floatText(wear: number | null): string {
  return wear === null ? '' : String(Number(wear.toPrecision(14)))
}

export function stickerIds(listing: Listing): string {
  return listing.asset.stickers.map((sticker) => sticker.stickerId).join('|')
}

/** A row of the searches. */
export function viewListing(listing: Listing, withStickers: boolean): Record<string, unknown> {
  const stickers = stickerIds(listing)
  return {
    id: Number(listing.id),
    market_hash_name: listing.asset.item.marketHashName,
    price: listing.priceMills,
    class: listing.asset.classId,
    instance: listing.asset.instanceId,
    extra: {
      ...(listing.asset.wear === null ? {} : { float: floatText(listing.asset.wear) }),
      ...(withStickers && stickers !== '' ? { stickers } : {}),
    },
  }
}
