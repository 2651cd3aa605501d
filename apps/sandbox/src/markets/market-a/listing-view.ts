import type { Listing } from '../../dataset/types.ts'
import { throwBetween } from '../../kernel/dice.ts'

/** The probability in percent that the seller delivers in time: higher for bots than for people. */
export function chanceToTransfer(listing: Listing): number {
  return listing.auto
    ? throwBetween(95, 100, 'chance', listing.sellerId)
    : throwBetween(50, 94, 'chance', listing.sellerId)
}

/** The market writes floats with 14 digits, which still names one float32. */
export function floatText(wear: number | null): string {
  return wear === null ? '' : String(Number(wear.toPrecision(14)))
}

/** `id|id` in the order of their places on the item; a place that is free is empty: `11||22`. */
export function stickerIds(listing: Listing): string {
  const ids: (number | undefined)[] = []
  for (const { slot, stickerId } of listing.asset.stickers) ids[slot] = stickerId
  return Array.from(ids, (id) => id ?? '').join('|')
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
