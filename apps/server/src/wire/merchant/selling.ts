// The merchant interface's view of what a user could sell.
import type { SellInventoryItem } from '@tradepost/contract'
import { type Cents, cents, divideHalfUp } from '#kernel/money'
import { encodeAsset, type Offered } from '#selling'
import { moneyNumber } from '../money.ts'

const MILLS_A_CENT = 10n

export function sellItemView({ asset, match, quote, accepted }: Offered): SellInventoryItem {
  const reference = match?.referenceMills ?? null
  const phase = match?.phase ?? null
  return {
    id: encodeAsset(asset),
    assetid: asset.assetId,
    name: asset.name,
    marketHashName: asset.marketHashName,
    type: asset.type,
    iconUrl: asset.iconUrl,
    tradable: asset.tradable,
    ...(reference !== null && {
      marketPrice: moneyNumber(cents(divideHalfUp(reference, MILLS_A_CENT))),
    }),
    price: sellPriceNumber(quote),
    accepted,
    ...(asset.exterior !== null && { exterior: asset.exterior }),
    ...(asset.rarity !== null && { rarity: asset.rarity }),
    ...(asset.color !== null && { color: asset.color }),
    ...(asset.previewToken !== null && { previewToken: asset.previewToken }),
    ...(asset.wearText !== null && { wear: asset.wearText }),
    ...(asset.paintSeed !== null && { paintSeed: asset.paintSeed }),
    ...(phase !== null && {
      doppler: {
        status: true,
        name: phase,
        ...(asset.paintIndex !== null && { paintIndex: asset.paintIndex }),
      },
    }),
    ...(asset.stickers.length > 0 && {
      stickers: asset.stickers.map(({ name, slot, wearText, iconUrl }) => ({
        name,
        slot,
        ...(wearText !== null && { wear: wearText }),
        iconUrl,
      })),
    }),
    ...(asset.charm && {
      charm: {
        name: asset.charm.name,
        ...(asset.charm.pattern !== null && { pattern: asset.charm.pattern }),
        iconUrl: asset.charm.iconUrl,
      },
    }),
  }
}

/** An offer that there is not reads as 0. */
export const sellPriceNumber = (quote: Cents | null): number =>
  quote === null ? 0 : moneyNumber(quote)
