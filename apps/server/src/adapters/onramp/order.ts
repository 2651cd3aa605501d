// Reads the provider's orders. Several may carry one id of ours, because the payer may begin again: what
// each of them sent is a payment of its own.
import { formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import type { OnrampOrder, OnrampOrderState, SettledPayment } from '#ports/deposits'
import { toProviderId } from '../shared/deposit-ids.ts'
import { type Fields, fieldsOf, own, smallIntegerOf, textOf } from '../shared/reader.ts'

/** The provider's codes; a code that no document lists is in progress. */
const STATES: Readonly<Record<number, OnrampOrderState>> = {
  [-4]: 'amount_mismatch',
  [-3]: 'name_mismatch',
  [-2]: 'abandoned',
  [-1]: 'timed_out',
  0: 'created',
  4: 'completed',
  5: 'completed',
  15: 'completed',
  16: 'completed',
}

/** What decides among several orders of one id: money that came, then money that may come. */
const PRECEDENCE: readonly OnrampOrderState[] = [
  'completed',
  'in_progress',
  'created',
  'amount_mismatch',
  'name_mismatch',
  'failed',
  'timed_out',
  'abandoned',
  'refunded',
]

export interface ReadOrder {
  readonly providerOrderId: string
  readonly recognitionId: string
  readonly state: OnrampOrderState
  readonly detail: string
  readonly payment: SettledPayment | null
}

/** No card payment is that large: beyond it a figure is wrong. */
const MOST = 1_000_000n * ONE_TOKEN

const COINS: Readonly<Record<number, string>> = { 54: 'USDT', 116: 'USDC' }

/**
 * One row, or a sentence that says why it cannot be used. The address of the payment page is in the payer's
 * hands, so that the row may say that the tokens went elsewhere: they count only at our own wallet.
 */
export function readRow(row: unknown, wallet: string): ReadOrder | string {
  const fields = fieldsOf(row)
  if (fields === null) return 'the order is no object'
  const providerOrderId = textOf(own(fields, 'orderId'))
  const code = smallIntegerOf(own(fields, 'status'))
  if (providerOrderId === null || code === null) return 'the order has no id or status'
  const state = STATES[code] ?? 'in_progress'
  const base = {
    providerOrderId,
    recognitionId: textOf(own(fields, 'merchantRecognitionId')) ?? '',
    detail: String(code),
  }
  if (state !== 'completed') return { ...base, state, payment: null }
  if (textOf(own(fields, 'walletAddress'))?.toLowerCase() !== wallet.toLowerCase()) {
    return { ...base, state: 'failed', detail: 'sent to a wallet that is not ours', payment: null }
  }
  const payment = readPayment(fields, providerOrderId)
  return typeof payment === 'string' ? payment : { ...base, state, payment }
}

function readPayment(fields: Fields, settlementRef: string): SettledPayment | string {
  const token = COINS[smallIntegerOf(own(fields, 'coinId')) ?? -1]
  const amount = parseDecimal(textOf(own(fields, 'actualCryptoAmount')) ?? '')
  const paidAt = new Date(textOf(own(fields, 'updatedAt')) ?? '')
  const txHash = textOf(own(fields, 'transactionHash'))
  if (token === undefined) return 'the order is in a coin that we do not take'
  if (amount === null || amount === 0n || amount > MOST) return 'the amount is unreadable'
  if (Number.isNaN(paidAt.getTime())) return 'the order has no time'
  return {
    ...{ settlementRef, token, txHash, paidAt },
    amountToken: formatDecimal(amount),
    valueUsdMicros: null,
  }
}

/** All orders of one id of ours as one. At least one is given; the latest of the best state leads. */
export function combine(orderId: string, rows: readonly ReadOrder[]): OnrampOrder {
  const rank = ({ state }: ReadOrder): number => PRECEDENCE.indexOf(state)
  const [lead] = rows.toSorted(
    (one, other) =>
      rank(one) - rank(other) || Number(other.providerOrderId) - Number(one.providerOrderId),
  )
  return {
    orderId,
    recognitionId: toProviderId(orderId),
    providerOrderId: lead?.providerOrderId ?? null,
    state: lead?.state ?? 'created',
    detail: lead?.detail ?? null,
    payments: rows.flatMap(({ payment }) => (payment === null ? [] : [payment])),
    refunds: [],
  }
}
