// Unmatched offers: offers of our bots that are out for items which have ended without them. One that is
// accepted would bring us items for which no seller is paid, so it is canceled and reported.
import type { OnCase } from '#trades'
import type { WorkOffer } from './offer.ts'
import { type GuardDeps, guardOfUnmatchedOffer } from './offer-guard.ts'
import type { Bots, OfferSnapshot } from './ports.ts'
import { recordOffer } from './store/offers.ts'

export interface UnmatchedOfferDeps extends GuardDeps {
  readonly bots: Pick<Bots, 'cancelOffer'>
  readonly onCase: OnCase
}

/** The details that every case of an offer has; a case is about an item, and the first stands for all. */
export const aboutOf = (offer: WorkOffer) => ({
  itemId: offer.items[0]?.id,
  tradeId: offer.tradeId,
  offerId: offer.offerId,
  botId: offer.botId,
})

/** True when it can do no harm any more, or is a case; false when it must be looked at again. */
export async function endUnmatchedOffer(
  deps: UnmatchedOfferDeps,
  offer: WorkOffer,
  { offerId, state }: Pick<OfferSnapshot, 'offerId' | 'state'>,
): Promise<boolean> {
  const { db, bots, onCase } = deps
  if (state === 'active' || state === 'needs_confirmation') {
    const { offerIntentId, botId, requestId } = offer
    const guard = guardOfUnmatchedOffer(deps, offerIntentId)
    const canceled = await bots.cancelOffer(botId, offerId, { requestId, guard })
    if (canceled.kind !== 'ok' || canceled.value !== 'canceled') return false
  }
  await onCase('orphan_offer', { ...aboutOf(offer), offerId, state })
  await recordOffer(db, offer.offerIntentId, { state: 'orphan', offerId })
  return true
}
