// What may leave without an operator, and what an operator does with the rest.

import type { Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import type { Cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { cancel, type NewTransaction, submit } from '#outbound'
import { notifyAdministrators, notifyMembers } from '#people'
import { confirm, refund } from './settle.ts'
import { lockAndSumApproved, lockWithdrawal, release } from './store/withdrawals.ts'
import { type HeldReason, parseDestination, type Withdrawal } from './withdrawal.ts'

/** In US cents. Above a limit a withdrawal waits for an operator; it is not refused. */
export interface PayoutLimits {
  readonly perTransaction: Cents
  /** Of one merchant, or of a partner with its children, over any 24 hours. */
  readonly perMerchantDay: Cents
  /** Of all together over any 24 hours. */
  readonly perDay: Cents
}

const DAY_MS = 24 * 3_600_000

/**
 * Why each of them has to wait for an operator; null: it may leave, and counts against those after it. Two
 * transactions that decide at once see each other. To be decided before they are marked as approved.
 * What waits counts from its release: until then it uses up no limit.
 */
export async function findLimits(
  tx: Tx,
  candidates: readonly Pick<Withdrawal, 'tenantId' | 'amountCents'>[],
  { limits, at }: { readonly limits: PayoutLimits; readonly at: Date },
): Promise<(HeldReason | null)[]> {
  const mayLeave = candidates.some(({ amountCents }) => amountCents <= limits.perTransaction)
  if (!mayLeave) return candidates.map(() => 'over_transaction_limit')
  const sums = await lockAndSumApproved(tx, {
    tenantIds: candidates.map(({ tenantId }) => tenantId),
    since: new Date(at.getTime() - DAY_MS),
  })
  return candidates.map(({ tenantId, amountCents }) => {
    const own = (sums.byTenant.get(tenantId) ?? 0n) + amountCents
    if (amountCents > limits.perTransaction) return 'over_transaction_limit'
    if (own > limits.perMerchantDay) return 'over_merchant_limit'
    if (sums.total + amountCents > limits.perDay) return 'over_day_limit'
    sums.byTenant.set(tenantId, own)
    sums.total += amountCents
    return null
  })
}

/** Approved withdrawals leave by themselves; those that are held wait for an operator. */
export async function letGo(tx: Tx, approved: readonly Withdrawal[], at: Date): Promise<void> {
  const isHeld = ({ heldReason }: Withdrawal): boolean => heldReason !== null
  await queuePayments(
    tx,
    approved.filter((one) => !isHeld(one)),
    at,
  )
  for (const one of approved.filter(isHeld)) await reportWaiting(tx, one, at)
}

/** As text, `1234.50`. */
const dollarsOf = (amount: Cents): string =>
  `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`

/**
 * To the people of the merchant or partner, and to the administrators, who release it, in the commit that
 * holds the withdrawal.
 */
async function reportWaiting(
  tx: Tx,
  { id, tenantId, amountCents, destination, heldReason }: Withdrawal,
  at: Date,
): Promise<void> {
  const details = { id, amount: dollarsOf(amountCents), destination }
  const account = { id: tenantId, about: 'money' } as const
  await notifyMembers(tx, account, { template: 'withdrawal_waiting', details, at })
  const why = { ...details, reason: (heldReason ?? '').replaceAll('_', ' ') }
  await notifyAdministrators(tx, { template: 'withdrawal_to_release', details: why, at })
}

/** Hands the payments to outbound: from here on they are signed and sent by themselves. */
const queuePayments = (tx: Tx, withdrawals: readonly Withdrawal[], at: Date): Promise<void> =>
  submit(
    tx,
    withdrawals.map((one) => paymentOf(one, at)),
    at,
  )

function paymentOf(withdrawal: Withdrawal, at: Date): NewTransaction {
  const { id, chain, token, tokenAddress, destination, units, source } = withdrawal
  const recipient = parseDestination(destination)
  if (recipient === null) throw new Error(`withdrawal ${id} has no destination`)
  return {
    ...{ chain, token, tokenAddress, recipient, units },
    ...({ keyRef: 'hot', depositIndex: null, purpose: 'payout' } as const),
    ...{ id: newId(at.getTime()), refId: id, needsCapital: source === 'wallet' },
  }
}

/**
 * An operator lets a withdrawal go that was held before it left. Refuses CRYPTO_PAYOUT_NOT_FOUND for one
 * that is not held.
 */
export async function releaseHeld(tx: Tx, id: string, at: Date): Promise<Withdrawal> {
  const withdrawal = await lockWithdrawal(tx, id)
  if (withdrawal === null || !isHeldBeforeSigning(withdrawal)) {
    return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  }
  await release(tx, id, at)
  await queuePayments(tx, [withdrawal], at)
  return { ...withdrawal, heldReason: null }
}

/**
 * `refunded` now, or `requested`: it was signed, so its nonce is filled first; `too_late`: it is at its
 * end.
 */
export type RefuseAnswer = 'refunded' | 'requested' | 'busy' | 'too_late'

/**
 * An operator stops a withdrawal. One that was never signed is refunded at once; of one that was signed
 * the chain decides which of the payment and its cancel transaction is mined.
 */
export async function refuseWithdrawal(tx: Tx, id: string, at: Date): Promise<RefuseAnswer> {
  const withdrawal = await lockWithdrawal(tx, id)
  if (withdrawal === null) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  if (withdrawal.status === 'confirmed' || withdrawal.status === 'refunded') return 'too_late'
  if (withdrawal.status === 'pending_callback' || isHeldBeforeSigning(withdrawal)) {
    await refund(tx, withdrawal, { reason: 'operator_refused', at, hash: null })
    return 'refunded'
  }
  const answer = await cancel(tx, { purpose: 'payout', refId: id, at })
  if (answer !== 'canceled') return answer
  await refund(tx, withdrawal, { reason: 'operator_refused', at, hash: null })
  return 'refunded'
}

const isHeldBeforeSigning = ({ status, heldReason }: Withdrawal): boolean =>
  status === 'queued' && heldReason !== null && heldReason !== 'no_effect'

/**
 * An operator decides about a payment that was mined as a success without moving its token: it was paid all
 * the same, or it was not. Refuses CRYPTO_PAYOUT_NOT_FOUND for any other withdrawal.
 */
export async function decideNoEffect(
  tx: Tx,
  id: string,
  { paid, at }: { readonly paid: boolean; readonly at: Date },
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, id)
  if (withdrawal?.heldReason !== 'no_effect') return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  const hash = withdrawal.txHash
  if (paid) await confirm(tx, withdrawal, { hash, at })
  else await refund(tx, withdrawal, { reason: 'no_effect', at, hash })
}
