// A step of the items that an offer carries, shown in the trace of the request that sold them.
import type { Tx } from '#infra/database/db'
import { beginFor, traced } from '#infra/tracing/tracing'
import type { WorkOffer } from './offer.ts'
import { type Move, moveItems } from './store/offers.ts'

/** Moves the items of the offer by one step. Answers how many it moved. */
export async function stepOffer(
  tx: Tx,
  { tradeId, requestId, items }: Pick<WorkOffer, 'tradeId' | 'requestId' | 'items'>,
  step: Omit<Move, 'tradeId' | 'itemIds'>,
): Promise<number> {
  const move = { ...step, tradeId, itemIds: items.map(({ id }) => id) }
  const span = beginFor(requestId, 'step of offer')
  if (span === null) return moveItems(tx, move)
  span.set('tradepost.status', step.to)
  return traced(span, () => moveItems(tx, move), undefined)
}
