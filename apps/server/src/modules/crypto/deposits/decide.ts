// What a fresh read of an order means for its deposit: which payments are credited, which refunds are taken
// back, which step it takes, and what contradicts what we hold. Everything here is pure.
import { type Attos, attos, formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { cents } from '#kernel/money'
import { type ExactUsd, tokensFor, valueOfCents, valueOfMicros, valueOfTokens } from './amounts.ts'
import type { Deposit, DepositStatus, DepositSubstate, FailureReason } from './deposit.ts'
import type { OrderView } from './order-view.ts'
import type { ProviderRefund, SettledPayment } from './ports.ts'
import type { DepositAccount } from './store/deposit-snapshot.ts'
import type { HeldBack, HeldPayment } from './store/held.ts'

/** After its expiry an order is looked at once more so much later before it counts as unpaid. */
export const EXPIRY_GRACE_MS = 120_000

/** More than four times the largest order is not credited before an operator has looked. */
const MOST_CREDITED_UNSEEN = valueOfCents(cents(100_000_00n))
/** A conversion this far from the quoted rate, in percent, is not credited before an operator has looked. */
const MOST_CONVERSION_DIFFERENCE = 20n

export interface PlannedCredit {
  readonly settlementRef: string
  readonly amount: Attos
  readonly value: ExactUsd
}

export interface PlannedReversal {
  readonly refundRef: string
  readonly amount: Attos
}

/** A contradiction between the provider and us; what it is about is not credited. */
export interface Contradiction {
  readonly kind: 'deposit_contradiction' | 'deposit_held_back'
  readonly details: Readonly<Record<string, unknown>>
  /** The payment that waits for an operator because of it. */
  readonly heldBack?: HeldBack
}

export interface Decision {
  /** Tokens that have come so far to an order that still runs; null where nothing is to be noted. */
  readonly seen: Attos | null
  /** First of all steps: a payment was seen. */
  readonly isSeen: boolean
  readonly credits: readonly PlannedCredit[]
  readonly reversals: readonly PlannedReversal[]
  /** Where it stands after the credits and before the reversals. */
  readonly to: {
    readonly status: DepositStatus
    readonly reason: FailureReason | null
    readonly substate: DepositSubstate | null
  }
  readonly contradictions: readonly Contradiction[]
}

export interface Rates {
  /** US dollars for one token now, for what was paid after the order had expired. */
  readonly late: Attos | null
}

/** True when a payment is to be valued at the rate of now: the quoted rate held until the order expired. */
export const isLate = ({ paidAt }: SettledPayment, { expiresAt }: Deposit): boolean =>
  expiresAt !== null && paidAt > expiresAt

export function decide(
  deposit: Deposit,
  account: DepositAccount,
  order: OrderView,
  { rates, now }: { readonly rates: Rates; readonly now: Date },
): Decision {
  const contradictions: Contradiction[] = mismatches(deposit, account, order)
  const isTrusted = contradictions.length === 0
  const fresh = isTrusted ? freshPayments(deposit, account, order, rates, contradictions) : []
  const total = attos(fresh.reduce<bigint>((sum, { amount }) => sum + amount, deposit.received))
  const isWhole = total > 0n && total >= askedTokens(deposit)
  const isExpired = deposit.expiresAt !== null && now.getTime() >= graceEnd(deposit.expiresAt)
  const settles =
    isWhole || order.isOver || isExpired || !['initiated', 'pending'].includes(deposit.status)
  const credits = settles ? fresh : []
  const isSeen =
    deposit.status === 'initiated' && isTrusted && (order.isPaymentSeen || fresh.length > 0)
  return {
    seen: isTrusted && !settles && total !== deposit.seen ? total : null,
    isSeen,
    credits,
    reversals: isTrusted ? reversalsOf(deposit, account, order, isSeen || credits.length > 0) : [],
    to: target(deposit, order, { isSeen, isWhole, isExpired, isTrusted, credits }),
    contradictions,
  }
}

const graceEnd = (expiresAt: Date): number => expiresAt.getTime() + EXPIRY_GRACE_MS

/** Tokens that make the deposit complete. A card's amount is not in tokens: there it is what was promised. */
function askedTokens(deposit: Deposit): bigint {
  if (deposit.method === 'gateway') return deposit.payAmount ?? 0n
  return deposit.receiveUsd === null ? 0n : tokensFor(deposit.receiveUsd, ONE_TOKEN, 18)
}

interface Findings {
  readonly isSeen: boolean
  readonly isWhole: boolean
  readonly isExpired: boolean
  readonly isTrusted: boolean
  readonly credits: readonly PlannedCredit[]
}

function target(deposit: Deposit, order: OrderView, found: Findings): Decision['to'] {
  const { status, reason } = deposit
  const stay = { status, reason: reason as FailureReason | null, substate: deposit.substate }
  if (!found.isTrusted) return stay
  if (found.credits.length > 0) {
    const ends = found.isWhole || status === 'completed' ? 'completed' : 'partial'
    return { status: ends, reason: null, substate: null }
  }
  if (status === 'completed' || status === 'partial') {
    const isRejected = order.refunds.some(({ state }) => state === 'rejected')
    return isRejected ? { ...stay, substate: 'refund_rejected' } : stay
  }
  if (status !== 'initiated' && status !== 'pending') return stay
  if (order.refunds.some(({ state }) => state === 'refunded')) return { ...stay, status: 'pending' }
  if (order.end !== null && order.end !== 'expired') {
    return { status: 'failed', reason: order.end, substate: order.substate }
  }
  if (order.isPaymentSeen) return { status: 'pending', reason: null, substate: order.substate }
  const isGone = order.end === 'expired' || found.isExpired
  if (status === 'initiated') return isGone ? expired : stay
  // What was seen has vanished: it was never settled.
  return isGone ? { status: 'failed', reason: 'payment_not_settled', substate: null } : stay
}

const expired = { status: 'expired', reason: null, substate: null } as const

/** The payments that are not credited yet, each with its value; what must not be credited is reported. */
function freshPayments(
  deposit: Deposit,
  account: DepositAccount,
  order: OrderView,
  rates: Rates,
  contradictions: Contradiction[],
): PlannedCredit[] {
  const known = new Set(account.credits.map(({ settlementRef }) => settlementRef))
  const fresh: PlannedCredit[] = []
  let total = account.value
  let creditable = creditableTokens(account, order)
  for (const payment of order.payments) {
    const { settlementRef } = payment
    if (known.has(settlementRef)) continue
    known.add(settlementRef)
    const decided = account.held.get(settlementRef)
    if (decided?.state === 'refused') continue
    const valued = valuePayment(deposit, payment, rates)
    if (valued === null) continue
    if (valued.amount !== null && creditable !== null && valued.amount > creditable) {
      // Without a value it cannot be released.
      contradictions.push(heldBack(payment, { ...valued, value: null }, REFUNDED))
      continue
    }
    const released = releasedCredit(valued, decided)
    // What was held back once is credited by an operator's decision alone.
    const problem =
      valued.problem ?? unseen(deposit, total + (valued.value ?? 0n)) ?? decided?.problem ?? null
    const credit = released ?? (problem === null ? creditWith(valued) : null)
    if (credit !== null) {
      total += credit.value
      if (creditable !== null) creditable -= credit.amount
      fresh.push(credit)
    } else if (problem !== null) {
      contradictions.push(heldBack(payment, valued, problem))
    }
  }
  return fresh
}

const REFUNDED =
  'refunded by its provider, in whole or in part: refuse it, and credit what is left by an adjustment'

/**
 * Of what the order settled, the tokens that may still be credited: those of a refund that took nothing back,
 * because they were not credited when it was seen, are never credited afterwards. Null: all of them.
 */
function creditableTokens({ credits, uncovered }: DepositAccount, order: OrderView): bigint | null {
  if (uncovered === 0n) return null
  const sumOf = (amounts: readonly (Attos | null)[]): bigint =>
    amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
  const settled = sumOf(order.payments.map(({ amountToken }) => parseDecimal(amountToken)))
  return settled - uncovered - sumOf(credits.map(({ amount }) => amount))
}

interface Valued {
  readonly settlementRef: string
  readonly amount: Attos | null
  readonly value: ExactUsd | null
  /** Why it is not credited before an operator has looked. */
  readonly problem: string | null
}

const creditWith = ({ settlementRef, amount, value }: Valued): PlannedCredit | null =>
  amount === null || value === null ? null : { settlementRef, amount, value }

/** Released by an operator: credited at the value that the operator saw, while it still reads the same. */
function releasedCredit(
  valued: Valued,
  decided: Pick<HeldPayment, 'state' | 'amount' | 'value'> | undefined,
): PlannedCredit | null {
  const credit = creditWith(valued)
  if (credit === null || decided?.state !== 'released' || decided.value === null) return null
  const isAsSeen = credit.amount === decided.amount && !isFarFrom(credit.value, decided.value)
  return isAsSeen ? { ...credit, value: decided.value } : null
}

const heldBack = (
  { settlementRef, amountToken }: SettledPayment,
  { amount, value }: Valued,
  problem: string,
): Contradiction => ({
  kind: 'deposit_held_back',
  details: { settlementRef, amount: amountToken, problem },
  heldBack: { settlementRef, amount, value, problem },
})

/** Why so much, or at such a moment, is not credited before an operator has looked. */
function unseen({ status }: Deposit, total: ExactUsd): string | null {
  if (status === 'refunded') return 'paid after a refund'
  return total > MOST_CREDITED_UNSEEN ? 'above the largest amount that is credited unseen' : null
}

/** Null: it is late, and the rate of now is not known; the next look tries again. */
function valuePayment(deposit: Deposit, payment: SettledPayment, rates: Rates): Valued | null {
  const { settlementRef, token, valueUsdMicros } = payment
  const amount = parseDecimal(payment.amountToken)
  const of = (value: ExactUsd | null, problem: string | null): Valued => ({
    ...{ settlementRef, amount, value, problem },
  })
  if (amount === null || amount === 0n) return { ...of(null, 'not an amount'), amount: null }
  if (token !== null && deposit.method === 'gateway' && token !== deposit.token) {
    return of(null, `paid in ${token}`)
  }
  // An on-ramp delivers stable coins.
  const quoted = deposit.method === 'onramp' ? ONE_TOKEN : deposit.usdPerToken
  const late = deposit.method === 'gateway' && isLate(payment, deposit)
  if (valueUsdMicros !== null) {
    const value = valueOfMicros(valueUsdMicros)
    if (value <= 0n) return of(null, 'converted into nothing')
    // A late payment is converted at a rate that was never quoted.
    const isFar = !late && quoted !== null && isFarFrom(value, valueOfTokens(amount, quoted))
    return of(value, isFar ? 'converted far from the quoted rate' : null)
  }
  const rate = late ? rates.late : quoted
  return rate === null ? null : of(valueOfTokens(amount, rate), null)
}

function isFarFrom(value: ExactUsd, quoted: ExactUsd): boolean {
  const difference = value > quoted ? value - quoted : quoted - value
  return difference * 100n > quoted * MOST_CONVERSION_DIFFERENCE
}

function reversalsOf(
  { status }: Deposit,
  account: DepositAccount,
  { refunds }: OrderView,
  isMoving: boolean,
): PlannedReversal[] {
  const canReverse = isMoving || ['pending', 'partial', 'completed', 'refunded'].includes(status)
  return refunds.flatMap((refund) => {
    const amount = refundedAmount(refund)
    const isNew = amount !== null && !account.reversedRefs.has(refund.refundRef)
    return isNew && canReverse ? [{ refundRef: refund.refundRef, amount }] : []
  })
}

function refundedAmount({ state, amountToken }: ProviderRefund): Attos | null {
  const amount = state === 'refunded' ? parseDecimal(amountToken) : null
  return amount === 0n ? null : amount
}

/** An order that is another, contradicts itself, or disowns what it settled credits nothing. */
function mismatches(deposit: Deposit, account: DepositAccount, order: OrderView): Contradiction[] {
  const details: Record<string, unknown> = {}
  if (order.orderId !== deposit.id) details.orderId = order.orderId
  if (order.token !== null && order.token !== deposit.token) details.token = order.token
  if (order.chain !== null && order.chain !== deposit.chain) details.chain = order.chain
  if (order.contradiction !== null) details.payments = order.contradiction
  const reported = new Map(order.payments.map((payment) => [payment.settlementRef, payment]))
  for (const { settlementRef, amount } of account.credits) {
    const payment = reported.get(settlementRef)
    if (payment === undefined) details[`payment ${settlementRef}`] = 'no longer reported'
    else if (parseDecimal(payment.amountToken) !== amount) {
      details[`payment ${settlementRef}`] = `${payment.amountToken}, was ${formatDecimal(amount)}`
    }
  }
  return Object.keys(details).length === 0 ? [] : [{ kind: 'deposit_contradiction', details }]
}
