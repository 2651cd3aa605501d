import type { Listing } from '../../dataset/types.ts'
import { throwDice } from '../../kernel/dice.ts'
import { accountIdOf, personaOf } from '../../platform/persona.ts'
import type { MarketBNames } from './names.ts'
import type { MarketBSettings } from './settings.ts'

const LOCK_SECONDS = 7 * 86_400

/** A few listings are still trade locked: shown on request, not for sale. */
export function unlockAt(listing: Listing, settings: MarketBSettings): string | null {
  if (settings.lockedOneIn === 0) return null
  if (throwDice('locked', listing.id) % settings.lockedOneIn !== 0) return null
  return String(Math.floor(listing.listedAtMs / 1000) + LOCK_SECONDS)
}

/** Market B shows addresses of pictures where the game has only their names. */
export function pictureUrl(iconUrl: string): string {
  return `https://community.fastly.steamstatic.com/economy/image/${iconUrl}`
}

export function inspectLink(listing: Listing): string | null {
  const token = listing.asset.inspectToken
  return token === null ? null : `steam://run/730//+csgo_econ_action_preview%20${token}`
}

/** A few thousand sellers have all listings, and each snapshot names the seller of each. */
const sellerNames = new Map<string, string>()

export function sellerName({ sellerId }: Listing): string {
  const known = sellerNames.get(sellerId)
  if (known !== undefined) return known
  const accountId = accountIdOf(sellerId)
  const name = accountId === null ? sellerId : personaOf(accountId).name
  sellerNames.set(sellerId, name)
  return name
}

export function deliveryOf(listing: Listing): 'bot' | 'p2p' {
  return listing.auto ? 'bot' : 'p2p'
}

/** A row of the detailed name search (version 2), where ids are numbers. */
export function viewDetailed(listing: Listing, names: MarketBNames): Record<string, unknown> {
  const { asset } = listing
  return {
    item_id: Number(listing.id),
    price: listing.priceMills,
    name: names.nameOf(asset.item),
    float: asset.wear,
    phase: asset.item.phase ?? '',
    auto: listing.auto,
    delivery: deliveryOf(listing),
    paintseed: asset.paintSeed,
    paintindex: asset.item.paintIndex,
    inspect: inspectLink(listing),
    image: pictureUrl(asset.item.iconUrl),
    classid: asset.classId,
    instanceid: asset.instanceId,
    steam_id: listing.sellerId,
    sticker_names: asset.stickers.map((sticker) => sticker.name),
    stickers: asset.stickers.map((sticker) => ({
      name: sticker.name,
      sticker_id: sticker.stickerId,
      slot: sticker.slot,
      wear: sticker.wear,
      img: pictureUrl(sticker.iconUrl),
    })),
    steam_price_number: asset.item.referencePriceMills,
  }
}

/** A listing as the socket sends it; a removed one has only the first four fields. */
export function viewFeedItem(
  listing: Listing,
  { names, settings }: { readonly names: MarketBNames; readonly settings: MarketBSettings },
): Record<string, unknown> {
  const { asset } = listing
  const lockedUntil = unlockAt(listing, settings)
  return {
    ...viewGone(listing, names),
    auto: listing.auto,
    float: asset.wear,
    paint_index: asset.item.paintIndex,
    phase: asset.item.phase ?? '',
    sticker_names: asset.stickers.map((sticker) => sticker.name),
    classid: asset.classId,
    instance_id: asset.instanceId,
    steam_id: listing.sellerId,
    steam_price: asset.item.referencePriceMills,
    ...(lockedUntil === null ? {} : { unlock_at: lockedUntil }),
  }
}

export function viewGone(listing: Listing, names: MarketBNames): Record<string, unknown> {
  return {
    item_id: listing.id,
    name: names.nameOf(listing.asset.item),
    price: listing.priceMills,
    game: 'csgo',
  }
}
