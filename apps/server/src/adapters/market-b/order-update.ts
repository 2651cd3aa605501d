// Market B's trade rows, as the port states them.
import { cut } from '#kernel/text'
import type { FailureCode, OrderQuery, OrderUpdate } from '#ports/buying'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  isNone,
  own,
  priceOf,
  smallIntegerOf,
  textOf,
} from '../shared/reader.ts'
import { isLinkText, plain } from './purchase-answer.ts'
import type { Penalties } from './settings.ts'

type Outcome = Pick<OrderUpdate, 'state' | 'failure' | 'revertedBy' | 'review'>

const quiet = { failure: null, revertedBy: null, review: false } as const

const ENDED = 6

/** A row of `check-many-*`, as far as it can be trusted. */
export interface TradeRow {
  readonly orderId: string
  readonly projectId: string | null
  readonly status: number
  readonly fields: Fields
}

export function readTradeRow(row: unknown): TradeRow | null {
  const fields = fieldsOf(row)
  if (fields === null) return null
  const orderId = idOf(own(fields, 'id'))
  const status = smallIntegerOf(own(fields, 'status'))
  if (orderId === null || status === null) return null
  return { orderId, projectId: textOf(own(fields, 'project_id')), status, fields }
}

/**
 * Which of the rows under our project id is the order. The id that the purchase was answered with decides.
 * Without it an ended row proves nothing: market B also lists attempts that it refused.
 */
export function chooseRow(
  rows: readonly TradeRow[],
  query: OrderQuery,
): { readonly row: TradeRow; readonly isAmbiguous: boolean } | null {
  if (query.orderId !== null) {
    const row = rows.find(({ orderId }) => orderId === query.orderId)
    return row === undefined ? null : { row, isAmbiguous: false }
  }
  const live = rows.filter(
    ({ projectId, status }) => projectId === query.customId && status !== ENDED,
  )
  const [row] = live
  return row === undefined ? null : { row, isAmbiguous: live.length > 1 }
}

export function readOrder(
  row: TradeRow,
  query: OrderQuery,
  { isAmbiguous, penalties }: { readonly isAmbiguous: boolean; readonly penalties: Penalties },
): OrderUpdate {
  const outcome = outcomeOf(row, query, penalties)
  return {
    orderId: row.orderId,
    ...outcome,
    review: outcome.review || isAmbiguous,
    paidMills: priceOf(own(row.fields, 'price')),
    offerId: idOf(own(row.fields, 'trade_id')),
    detail: outcome.state === 'contested' ? wholeOf(row) : detailOf(row),
  }
}

function outcomeOf({ status, fields }: TradeRow, query: OrderQuery, penalties: Penalties): Outcome {
  const isProtected = textOf(own(fields, 'release_date')) !== null
  const wasAccepted = isProtected || query.acceptanceSeen
  if (status === ENDED) return endOf(fields, { wasAccepted, penalties })
  if (status === 5 || flagOf(own(fields, 'is_released')) === true) {
    return { state: 'completed', ...quiet }
  }
  switch (status) {
    case 0:
    case 1:
    case 2:
      return { state: 'pending', ...quiet }
    case 4:
      return { state: isProtected ? 'hold' : 'active', ...quiet }
    default:
      // Not in the documents: on its way, what we knew stays.
      return { state: knownStateOf(query), ...quiet }
  }
}

function knownStateOf({ offerSeen, acceptanceSeen }: OrderQuery): 'pending' | 'active' | 'hold' {
  if (acceptanceSeen) return 'hold'
  return offerSeen ? 'active' : 'pending'
}

/**
 * No document says what `penalties` mean. Of an accepted trade whose penalties name the buyer nothing is
 * concluded, or, where they are believed, that the buyer forfeits the whole price when named alone. Every
 * other end is refunded in full; where the penalties leave open who is charged, an operator finds out.
 */
function endOf(
  fields: Fields,
  { wasAccepted, penalties }: { readonly wasAccepted: boolean; readonly penalties: Penalties },
): Outcome {
  const stated = own(fields, 'penalties')
  const charged = chargedIn(stated)
  const outcome = endByReason(plain(textOf(own(fields, 'reason')) ?? ''))
  if (wasAccepted) {
    if (penalties === 'hold' && namesBuyer(stated)) return { state: 'contested', ...quiet }
    if (charged === 'buyer') return reverted('user', false)
    // No one is charged, or the seller, and no word says that the buyer had not accepted.
    const isClear = charged !== 'unclear' && outcome.state === 'failed'
    return reverted('supplier', !isClear)
  }
  return charged === 'none' ? outcome : { ...outcome, review: true }
}

/** The field is in no document. It may be absent, null, false or empty where there are none. */
function chargedIn(penalties: unknown): 'none' | 'buyer' | 'seller' | 'unclear' {
  const map = fieldsOf(penalties)
  if (map === null) return isNone(penalties) ? 'none' : 'unclear'
  const parties = Object.entries(map).filter(([, amount]) => integerOf(amount) !== 0n)
  if (parties.length === 0) return 'none'
  const [[party, amount] = []] = parties
  const isOne = parties.length === 1 && (integerOf(amount) ?? 0n) > 0n
  return isOne && (party === 'buyer' || party === 'seller') ? party : 'unclear'
}

/** In whatever form: among others, in a text or in a list. */
function namesBuyer(penalties: unknown): boolean {
  const map = fieldsOf(penalties)
  if (map === null) return /buyer/i.test(JSON.stringify(penalties) ?? '')
  return Object.entries(map).some(
    ([party, amount]) => /buyer/i.test(party) && integerOf(amount) !== 0n,
  )
}

const reverted = (revertedBy: 'user' | 'supplier', review: boolean): Outcome => ({
  state: 'reverted',
  failure: null,
  revertedBy,
  review,
})

function endByReason(reason: string): Outcome {
  if (/^buyer failed to accept|^declined/.test(reason)) {
    return { state: 'declined', failure: 'OFFER_NOT_ACCEPTED', revertedBy: null, review: false }
  }
  if (/^cancell?ed by the buyer/.test(reason)) return { state: 'canceled', ...quiet }
  if (isLinkText(reason)) return failed('TRADE_URL_INVALID', false)
  if (/^item price has increased or item is no longer available/.test(reason)) {
    return failed('LISTING_UNAVAILABLE', false)
  }
  return failed('PURCHASE_FAILED', !/^seller failed to (accept|send)/.test(reason))
}

const failed = (failure: FailureCode, review: boolean): Outcome => ({
  state: 'failed',
  failure,
  revertedBy: null,
  review,
})

/** What a person decides by. Spelled as JSON, it has no character that the database refuses. */
const wholeOf = ({ fields }: TradeRow): string => cut(JSON.stringify(fields), 4000)

function detailOf({ status, fields }: TradeRow): string {
  const reason = textOf(own(fields, 'reason'))
  return cut(`status ${status}${reason === null ? '' : `: ${reason}`}`, 500)
}
