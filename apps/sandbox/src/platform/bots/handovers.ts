import type { InventoryItem } from '../inventory-item.ts'
import type { BotOffer, Move } from './offer.ts'

/** The effect of the bots' trades on inventories, on top of own and bought items. */
export interface Handovers {
  follow(offer: BotOffer): void
  /** Ids that the owner had and has not any more. */
  goneFrom(platformId: string): ReadonlySet<string>
  /** What trades brought, or a reversal brought back. Some of it may be gone again. */
  broughtTo(platformId: string): readonly InventoryItem[]
}

export function createHandovers(): Handovers {
  const offersOf = new Map<string, Map<number, BotOffer>>()

  const note = (platformId: string, offer: BotOffer): void => {
    const own = offersOf.get(platformId) ?? new Map<number, BotOffer>()
    offersOf.set(platformId, own.set(offer.seq, offer))
  }
  const isDone = ({ progress }: BotOffer): boolean => progress.acceptedAtMs !== null
  const of = (platformId: string): Iterable<BotOffer> => offersOf.get(platformId)?.values() ?? []

  return {
    follow(offer) {
      if (!isDone(offer)) return
      note(offer.botId, offer)
      note(offer.partnerId, offer)
    },
    goneFrom(platformId) {
      const gone = new Set<string>()
      for (const offer of of(platformId)) {
        for (const { assetId } of handedOverBy(offer, platformId)) gone.add(assetId)
      }
      return gone
    },
    broughtTo(platformId) {
      const items: InventoryItem[] = []
      for (const offer of of(platformId)) {
        if (offer.progress.stage === 'reversed') {
          items.push(...handedOverBy(offer, platformId).map(returned))
        } else {
          items.push(...receivedBy(offer, platformId).map((move) => received(move, offer)))
        }
      }
      return items
    },
  }
}

const handedOverBy = (offer: BotOffer, platformId: string): readonly Move[] =>
  platformId === offer.botId ? offer.give : offer.take

const receivedBy = (offer: BotOffer, platformId: string): readonly Move[] =>
  platformId === offer.botId ? offer.take : offer.give

function received({ newAssetId, asset }: Move, { progress }: BotOffer): InventoryItem {
  const isFree = progress.stage === 'released'
  return {
    assetId: newAssetId,
    asset,
    tradable: isFree,
    marketable: isFree,
    context: isFree ? 'normal' : 'protected',
    protectedUntilMs: isFree ? null : progress.settlesAtMs,
  }
}

const returned = ({ returnedAssetId, asset }: Move): InventoryItem => ({
  assetId: returnedAssetId,
  asset,
  tradable: true,
  marketable: true,
  context: 'normal',
  protectedUntilMs: null,
})
