// Market A's orders, as the port states them. The market has three stages and states the rest in other
// fields; at stage 5 it clears those fields, so that what was seen before decides what the end means.
import { cut } from '#kernel/text'
import type { OrderQuery, OrderUpdate } from '#ports/buying'
import {
  type Fields,
  fieldsOf,
  idOf,
  integerOf,
  millsOfDecimal,
  own,
  textOf,
} from '../shared/reader.ts'

type Outcome = Pick<OrderUpdate, 'state' | 'failure' | 'revertedBy' | 'review'>

const quiet = { failure: null, revertedBy: null, review: false } as const

/** Null when the row cannot be read: then nothing is known, which is not the same as "no order". */
export function readOrder(row: unknown, query: OrderQuery): OrderUpdate | null {
  const fields = fieldsOf(row)
  const orderId = fields === null ? null : idOf(own(fields, 'item_id'))
  const stage = fields === null ? null : integerOf(own(fields, 'stage'))
  if (fields === null || orderId === null || stage === null) return null
  const outcome = outcomeOf(stage, fields, query)
  // Two orders under one custom id: the market shows the newest only, so an operator must look.
  const isAnother = query.orderId !== null && query.orderId !== orderId
  return {
    orderId,
    ...outcome,
    review: outcome.review || isAnother,
    paidMills: paidOf(fields),
    offerId: idOf(own(fields, 'trade_id')),
    detail: detailOf(fields),
  }
}

function outcomeOf(stage: bigint, fields: Fields, query: OrderQuery): Outcome {
  const hasTrade = idOf(own(fields, 'trade_id')) !== null
  const isProtected = (integerOf(own(fields, 'settlement')) ?? 0n) > 0n
  if (stage === 1n) return { state: progressOf({ hasTrade, isProtected, query }), ...quiet }
  if (stage === 2n) return { state: 'completed', ...quiet }
  if (stage === 5n && isCanceled(fields)) return { state: 'canceled', ...quiet }
  if (stage === 5n) {
    return endOf({
      causer: textOf(own(fields, 'causer'))?.toLowerCase() ?? null,
      hadTrade: hasTrade || query.offerSeen,
      wasAccepted: isProtected || query.acceptanceSeen,
      saysReversed: saysReversed(fields),
    })
  }
  // The documents know 1, 2 and 5. Any other stage is on its way: what we knew stays.
  return { state: knownStateOf(query), ...quiet }
}

/** A settlement outlives the trade id, which goes back to 0 once the offer is accepted. */
function progressOf({
  hasTrade,
  isProtected,
  query,
}: {
  readonly hasTrade: boolean
  readonly isProtected: boolean
  readonly query: OrderQuery
}): 'pending' | 'active' | 'hold' {
  if (isProtected) return 'hold'
  return hasTrade ? 'active' : knownStateOf(query)
}

function knownStateOf({ offerSeen, acceptanceSeen }: OrderQuery): 'pending' | 'active' | 'hold' {
  if (acceptanceSeen) return 'hold'
  return offerSeen ? 'active' : 'pending'
}

/**
 * An offer that was accepted and taken back between two look-ups shows neither settlement nor trade. What
 * is left of it: a part of the price was kept, which never happens for an offer that merely expired, or
 * the reason names the reversal. The wording is the market's own and in no document.
 */
const saysReversed = (fields: Fields): boolean =>
  fieldsOf(own(fields, 'refund')) !== null ||
  /revers|roll(ed)? ?back/i.test(textOf(own(fields, 'cancellation_reason')) ?? '')

function endOf({
  causer,
  hadTrade,
  wasAccepted,
  saysReversed,
}: {
  readonly causer: string | null
  readonly hadTrade: boolean
  readonly wasAccepted: boolean
  readonly saysReversed: boolean
}): Outcome {
  if (wasAccepted || saysReversed) {
    // A buyer who loses the whole price by the market's statement alone is worth an operator's look, and so
    // is an end without a culprit: the user is refunded, and an operator finds out who owes it.
    if (causer === 'buyer') return { ...reverted('user'), review: !wasAccepted }
    return { ...reverted('supplier'), review: causer !== 'seller' }
  }
  if (hadTrade) {
    if (causer === 'buyer') {
      return { state: 'declined', failure: 'OFFER_NOT_ACCEPTED', revertedBy: null, review: false }
    }
    return failed(causer !== 'seller')
  }
  return failed(causer !== null && causer !== 'seller')
}

const reverted = (by: 'user' | 'supplier'): Outcome => ({
  state: 'reverted',
  failure: null,
  revertedBy: by,
  review: false,
})

/** Known by its reason alone: the market has no code for an order that we canceled ourselves. */
const isCanceled = (fields: Fields): boolean =>
  /^cancell?ed by the buyer before/i.test(textOf(own(fields, 'cancellation_reason')) ?? '')

const failed = (review: boolean): Outcome => ({
  state: 'failed',
  failure: 'PURCHASE_FAILED',
  revertedBy: null,
  review,
})

/** `paid` is in whole units of the account's currency; ours is the dollar. */
function paidOf(fields: Fields): OrderUpdate['paidMills'] {
  const currency = textOf(own(fields, 'currency'))
  const paid = millsOfDecimal(own(fields, 'paid'))
  return (currency === null || currency === 'USD') && paid !== null && paid > 0n ? paid : null
}

function detailOf(fields: Fields): string {
  const words = [`stage ${textOf(own(fields, 'stage'))}`]
  for (const key of ['causer', 'cancellation_reason']) {
    const value = textOf(own(fields, key))
    if (value !== null) words.push(`${key} ${value}`)
  }
  return cut(words.join(', '), 500)
}
