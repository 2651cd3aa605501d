// Reads the provider's view of an order. A figure that contradicts another makes the whole answer unusable:
// it is money.
import { type Attos, formatDecimal } from '#kernel/decimal'
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

/** The order, or a sentence that says why the answer cannot be used. */
export function readOrder(data: unknown): GatewayOrder | string {
  const order = fieldsOf(data)
  if (order === null) return 'the order is no object'
  const text = (name: string): string | null => textOf(own(order, name))
  const orderId = toDepositId(own(order, 'merchantTradeNo'))
  const prepayId = text('prepayId')
  const terms = readTerms(order)
  const address = text('address')
  const chain = text('chain')
  const expiresMs = Number(text('expireTime'))
  if (orderId === null || prepayId === null) return 'the order has no id of ours or theirs'
  if (terms === null || address === null || chain === null) return 'the terms are unreadable'
  if (!Number.isSafeInteger(expiresMs) || expiresMs <= 0) return 'the order has no end'
  const payments = readPayments(order, prepayId, terms)
  if (typeof payments === 'string') return payments
  const refunds = readRefunds(order)
  if (refunds === null) return 'a refund is unreadable'
  const status = text('status') ?? ''
  return {
    orderId,
    prepayId,
    currency: terms.payCurrency,
    chain,
    payAmount: formatDecimal(terms.pay),
    address: {
      network: chain,
      token: terms.payCurrency,
      fullCurrType: text('fullCurrType') ?? '',
      address,
    },
    whitelabelUrl: null,
    qrContent: address,
    expiresAt: new Date(expiresMs),
    state: stateOf(status, order, { isPaid: payments.length > 0, isConvert: terms.isConvert }),
    detail: status,
    payments,
    refunds,
  }
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
  order: Fields,
  prepayId: string,
  terms: Terms,
): readonly SettledPayment[] | string {
  const info = fieldsOf(own(order, 'transaction_info')) ?? {}
  const payments: SettledPayment[] = []
  const timesSeen = new Map<string, number>()
  let sum = 0n
  for (const item of listOf(own(info, 'done_tx_item_list')) ?? []) {
    const fields = fieldsOf(item) ?? {}
    const amount = positiveOf(own(fields, 'amount'))
    const txId = textOf(own(fields, 'txId'))
    const paidAt = timeOf(own(fields, 'utcCreateTime') ?? own(fields, 'utcUpdateTime'))
    if (amount === null || txId === null || paidAt === null) return 'a payment is unreadable'
    const valueUsdMicros = worthOf(amount, own(fields, 'inUsdt'), terms)
    if (valueUsdMicros === 'false') return 'a payment and its value in USDT contradict each other'
    const times = (timesSeen.get(txId) ?? 0) + 1
    timesSeen.set(txId, times)
    sum += amount
    payments.push({
      settlementRef: settlementRefOf(prepayId, txId, times),
      amountToken: formatDecimal(amount),
      token: null,
      valueUsdMicros,
      txHash: txId,
      paidAt,
    })
  }
  const total = amountOf(own(info, 'done_amount_total') ?? own(info, 'done_amount') ?? '0')
  if (total === null || total !== sum) return 'the payments do not make the sum that is given'
  return payments
}

/** One transaction may pay several orders, and one order several times. */
export const settlementRefOf = (prepayId: string, txId: string, times: number): string =>
  `${prepayId}/${txId}${times === 1 ? '' : `#${times}`}`

/** A value so far from the order's own rate is no price that has moved since. */
const MOST_DRIFT_PERCENT = 50n

function worthOf(amount: Attos, given: unknown, terms: Terms): bigint | null | 'false' {
  if (!terms.isConvert) return null
  const agreed = (amount * terms.order) / terms.pay
  if (given === undefined) return microsOfUsdt(agreed as Attos)
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
