// Offers on the bots' own lists whose intents a restore has lost, and the sells that they are for. Pure.
import type { HeldBackItem, LostOffer, SentOffer } from '#selling'
import { wordsOf } from './compare-offers.ts'

export interface SentOfBot {
  readonly botId: string
  readonly offers: readonly SentOffer[]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const LIVE = ['active', 'needs_confirmation', 'in_escrow', 'unknown']

/**
 * Offers of ours that ask for nothing but items of one sell that was held back, the likeliest first: what the
 * user accepted, then what the user may still accept, then the newest of those that came to nothing.
 */
export function matchLostOffers(
  lists: readonly SentOfBot[],
  held: readonly HeldBackItem[],
): LostOffer[] {
  const byAsset = Map.groupBy(held, (item) => item.assetId)
  return lists
    .flatMap(({ botId, offers }) => offers.map((offer) => ({ botId, offer })))
    .sort(
      (one, other) =>
        rankOf(one.offer) - rankOf(other.offer) ||
        other.offer.snapshot.updatedAt.getTime() - one.offer.snapshot.updatedAt.getTime(),
    )
    .flatMap(({ botId, offer }) => {
      const offerIntentId = wordsOf(offer).find((word) => UUID.test(word))
      const { offerId, assets } = offer.snapshot
      // An asset may be in held-back sells of several tenants: then no one sell is known to be meant.
      const items = assets.flatMap(({ assetId }) => byAsset.get(assetId) ?? [])
      const tradeId = items[0]?.tradeId
      const isOfOneSell =
        tradeId !== undefined &&
        items.length === assets.length &&
        items.every((item) => item.tradeId === tradeId)
      if (offerIntentId === undefined || offer.gives.length > 0 || !isOfOneSell) return []
      return [{ offerIntentId, offerId, botId, tradeId, itemIds: items.map((item) => item.itemId) }]
    })
}

const rankOf = ({ snapshot }: SentOffer): number => {
  if (snapshot.state === 'accepted') return 0
  return LIVE.includes(snapshot.state) ? 1 : 2
}
