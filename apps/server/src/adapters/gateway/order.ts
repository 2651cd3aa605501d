// Reads the provider's view of an order. A figure that contradicts another makes the whole answer unusable:
// it is money.
import { type Attos, attos, formatDecimal } from '#kernel/decimal'
import type {
  DepositCurrency,
  GatewayOrder,
  GatewayOrderState,
  ProviderRefund,
  SettledPayment,
} from '#ports/deposits'
import { toDepositId } from '../shared/deposit-ids.ts'
import { type Fields, fieldsOf, listOf, own, textOf } from '../shared/reader.ts'
import { amountOf, microsOfUsdt, positiveOf } from './amounts.ts'

export const CURRENCIES: readonly DepositCurrency[] = [
  ...(['USDT', 'USDC', 'DAI', 'BTC', 'ETH', 'SOL', 'POL'] as const),
]

/** Taken as they come, one dollar each; every other currency is converted by the provider into USDT. */
export const isStable = (currency: DepositCurrency): boolean =>
  currency === 'USDT' || currency === 'USDC' || currency === 'DAI'

/** An order as it was answered, and what it lists of payments beside their sum. */
export interface ReadOrder {
  /** Without payments. */
  readonly order: Omit<GatewayOrder, 'payments' | 'state' | 'contradiction'>
  readonly fields: Fields
  readonly terms: Terms
  readonly listed: Listed
  /** What has arrived in all, by the provider's own sum. */
  readonly total: Attos
}

export interface Listed {
  readonly payments: readonly SettledPayment[]
  readonly sum: Attos
}

/** The order, or a sentence that says why the answer cannot be used. */
export function readOrder(data: unknown): ReadOrder | string {
  const fields = fieldsOf(data)
  if (fields === null) return 'the order is no object'
  const text = (name: string): string | null => textOf(own(fields, name))
  const orderId = toDepositId(own(fields, 'merchantTradeNo'))
  const prepayId = text('prepayId')
  const terms = readTerms(fields)
  const address = text('address')
  const chain = text('chain')
  const expiresMs = Number(text('expireTime'))
  if (orderId === null || prepayId === null) return 'the order has no id of ours or theirs'
  if (terms === null || address === null || chain === null) return 'the terms are unreadable'
  if (!Number.isSafeInteger(expiresMs) || expiresMs <= 0) return 'the order has no end'
  const expiresAt = new Date(expiresMs)
  const info = fieldsOf(own(fields, 'transaction_info')) ?? {}
  const items = listOf(own(info, 'done_tx_item_list')) ?? []
  const listed = readPayments(items, { prepayId, terms, expiresAt })
  if (typeof listed === 'string') return listed
  const sum = textOf(own(info, 'done_amount_total')) ?? textOf(own(info, 'done_amount'))
  const total = amountOf(sum ?? '0')
  if (total === null) return 'the sum of the payments is unreadable'
  const refunds = readRefunds(fields)
  if (refunds === null) return 'a refund is unreadable'
  return {
    ...{ fields, terms, listed, total },
    order: {
      ...{ orderId, prepayId, chain, expiresAt, refunds },
      currency: terms.payCurrency,
      payAmount: formatDecimal(terms.pay),
      address: {
        network: chain,
        token: terms.payCurrency,
        fullCurrType: text('fullCurrType') ?? '',
        address,
      },
      whitelabelUrl: null,
      qrContent: address,
      detail: text('status') ?? '',
    },
  }
}

/** The order with what has arrived. `differing`: neither list makes the sum, and none of them is believed. */
export function withPayments(
  { order, fields, terms, listed, total }: ReadOrder,
  { payments }: Listed,
  differing: { readonly detail: Attos } | null = null,
): GatewayOrder {
  const { isConvert } = terms
  const contradiction =
    differing === null
      ? null
      : `${formatDecimal(total)} arrived, ${formatDecimal(listed.sum)} listed, ${formatDecimal(differing.detail)} in detail`
  const state = stateOf(order.detail ?? '', fields, { isPaid: payments.length > 0, isConvert })
  return { ...order, state, payments, contradiction }
}

/** What the details of an order's transactions list: paid in its time, and after it. */
export function listedIn(data: unknown, { order, terms }: ReadOrder): Listed | string {
  const detail = fieldsOf(own(fieldsOf(data) ?? {}, 'transactionDetail'))
  if (detail === null) return 'the details have no transactions'
  const items = ['inTerm', 'outOfTerm'].flatMap((term) => {
    const done = fieldsOf(own(fieldsOf(own(detail, term)) ?? {}, 'done')) ?? {}
    return listOf(own(done, 'txList')) ?? []
  })
  const { prepayId, expiresAt } = order
  return readPayments(items, { prepayId, expiresAt, terms })
}

interface Terms {
  readonly payCurrency: DepositCurrency
  readonly pay: Attos
  readonly order: Attos
  readonly isConvert: boolean
}

/** A direct order repeats its amount, or leaves the payer's out. */
function readTerms(order: Fields): Terms | null {
  const currency = textOf(own(order, 'currency'))
  const payCurrency = textOf(own(order, 'payCurrency')) ?? currency
  const known = CURRENCIES.find((one) => one === payCurrency)
  const amount = positiveOf(own(order, 'orderAmount'))
  const isConvert = currency !== payCurrency
  const pay = positiveOf(own(order, 'payAmount')) ?? (isConvert ? null : amount)
  if (known === undefined || amount === null || pay === null) return null
  if (isConvert ? currency !== 'USDT' : pay !== amount) return null
  return { payCurrency: known, pay, order: amount, isConvert }
}

function readPayments(
  items: readonly unknown[],
  order: {
    readonly prepayId: string
    readonly terms: Terms
    readonly expiresAt: Date
  },
): Listed | string {
  const payments: SettledPayment[] = []
  const timesSeen = new Map<string, number>()
  let sum = 0n
  for (const item of items) {
    const fields = fieldsOf(item) ?? {}
    const amount = positiveOf(own(fields, 'amount'))
    const txId = textOf(own(fields, 'txId'))
    const paidAt = timeOf(own(fields, 'utcCreateTime') ?? own(fields, 'utcUpdateTime'))
    if (amount === null || txId === null || paidAt === null) return 'a payment is unreadable'
    const isLate = paidAt > order.expiresAt
    const valueUsdMicros = worthOf(amount, own(fields, 'inUsdt'), { terms: order.terms, isLate })
    if (valueUsdMicros === 'false') return 'a payment and its value in USDT contradict each other'
    const times = (timesSeen.get(txId) ?? 0) + 1
    timesSeen.set(txId, times)
    sum += amount
    payments.push({
      settlementRef: settlementRefOf(order.prepayId, txId, times),
      amountToken: formatDecimal(amount),
      token: null,
      valueUsdMicros,
      txHash: txId,
      paidAt,
    })
  }
  return { payments, sum: attos(sum) }
}

/** One transaction may pay several orders, and one order several times. */
export const settlementRefOf = (prepayId: string, txId: string, times: number): string =>
  `${prepayId}/${txId}${times === 1 ? '' : `#${times}`}`

/** A value so far from the order's own rate is no price that has moved since. */
const MOST_DRIFT_PERCENT = 50n

/**
 * Null: the provider names no value. In its time a payment is converted at the order's rate, later at
 * another.
 */
function worthOf(
  amount: Attos,
  given: unknown,
  { terms, isLate }: { readonly terms: Terms; readonly isLate: boolean },
): bigint | null | 'false' {
  if (!terms.isConvert) return null
  const agreed = (amount * terms.order) / terms.pay
  const isNamed = given !== undefined && given !== null && given !== ''
  if (!isNamed) return isLate ? null : microsOfUsdt(agreed as Attos)
  const value = positiveOf(given)
  if (value === null) return 'false'
  const drift = value > agreed ? value - agreed : agreed - value
  return drift * 100n > agreed * MOST_DRIFT_PERCENT ? 'false' : microsOfUsdt(value)
}

const REFUND_STATES: Readonly<Record<string, ProviderRefund['state']>> = {
  REFUND_SUCCESS: 'refunded',
  REFUND_PROCESS: 'processing',
  REFUND_REJECTED: 'rejected',
}

function readRefunds(order: Fields): readonly ProviderRefund[] | null {
  const refunds: ProviderRefund[] = []
  for (const item of listOf(own(order, 'refundList')) ?? []) {
    const fields = fieldsOf(item) ?? {}
    const refundRef = textOf(own(fields, 'refundRequestId'))
    const amount = positiveOf(own(fields, 'refundAmount'))
    const status = textOf(own(fields, 'status')) ?? ''
    const state = Object.hasOwn(REFUND_STATES, status) ? REFUND_STATES[status] : undefined
    if (refundRef === null || amount === null || state === undefined) return null
    refunds.push({ refundRef, state, amountToken: formatDecimal(amount) })
  }
  return refunds
}

/** Money that is on its way counts more than the end of the order: it will still be credited. */
function stateOf(
  status: string,
  order: Fields,
  { isPaid, isConvert }: { readonly isPaid: boolean; readonly isConvert: boolean },
): GatewayOrderState {
  if (status === 'BLOCK') return 'blocked'
  if (status === 'ERROR') return isConvert ? 'exchange_failed' : 'failed'
  const info = fieldsOf(own(order, 'transaction_info')) ?? {}
  const has = (name: string): boolean => (listOf(own(info, name)) ?? []).length > 0
  if (has('delay_tx_item_list')) return 'conversion_delay'
  if (has('confirming_tx_item_list') || has('confirming_list')) return 'processing'
  switch (status) {
    case 'PENDING':
      return isPaid ? 'part_paid' : 'waiting'
    case 'PAID':
      return 'paid'
    case 'EXPIRED':
      return 'expired'
    case 'CLOSED':
    case 'CANCELLED':
      return 'cancelled'
    default:
      // PROCESS, and any word that no document lists.
      return 'processing'
  }
}

/** `2025-09-18 08:20:03` in UTC. */
function timeOf(value: unknown): Date | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(textOf(value) ?? '')
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}Z`)
  return Number.isNaN(time) ? null : new Date(time)
}
