// What the chain decided about a withdrawal: state, postings and event in the commit of the decision.
import { type Posting, post } from '#custody'
import { giveBackSpend } from '#identity'
import type { Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { Finished, OutboundListener } from '#outbound'
import { addEvents, reverseJournal } from './store/steps.ts'
import {
  lockWithdrawal,
  markBroadcast,
  markConfirmed,
  markRefunded,
  setHeld,
} from './store/withdrawals.ts'
import type { Withdrawal } from './withdrawal.ts'

/** For outbound: called in the commit of each step of a payment. */
export const payoutListener: OutboundListener = {
  accepted: async (tx, sent) => {
    const withdrawals = await markBroadcast(tx, sent)
    const at = sent[0]?.at
    if (at === undefined) return
    await addWithdrawalEvents(tx, withdrawals, { type: 'payout.crypto.withdraw.broadcast', at })
  },

  finished: async (tx, { refId, outcome, detail, hash, at }) => {
    const withdrawal = assertDefined(await lockWithdrawal(tx, refId), 'the withdrawal of a payment')
    if (outcome === 'confirmed') await confirm(tx, withdrawal, { hash, at })
    else if (outcome === 'no_effect') await setHeld(tx, refId, 'no_effect')
    else await refund(tx, withdrawal, { reason: reasonOf(outcome, detail), at, hash })
  },
}

function reasonOf(outcome: Finished['outcome'], detail: string | null): string {
  switch (outcome) {
    case 'reverted':
      return 'onchain_revert'
    case 'displaced':
      return 'transaction_replaced'
    default:
      return detail === null ? 'not_payable' : `not_payable: ${detail}`.slice(0, 200)
  }
}

/** Paid: what was in flight left the hot wallet, and the fee is ours. */
export async function confirm(
  tx: Tx,
  withdrawal: Withdrawal,
  { hash, at }: { readonly hash: string | null; readonly at: Date },
): Promise<void> {
  const { id, ownerId, chain, token, units, feeUnits, source } = withdrawal
  const about = { reason: 'withdrawal_paid', refId: id, chain, token } as const
  const inFlight = { role: 'in_flight', ownerId } as const
  const key = `withdrawal:${id}:paid`
  const debit = source === 'custody' ? inFlight : ('ledger_clearing' as const)
  const postings: Posting[] = [{ ...about, key, debit, credit: 'hot_wallet', units }]
  if (feeUnits > 0n) {
    const fee = { key: `withdrawal:${id}:fee`, debit: inFlight, units: feeUnits } as const
    postings.push({ ...about, ...fee, credit: 'fee_income' })
  }
  await post(tx, postings, at)
  await markConfirmed(tx, id, { hash, at })
  await addWithdrawalEvents(tx, [withdrawal], { type: 'payout.crypto.withdraw.confirmed', at })
}

/**
 * Amount and fee go back to where they came from. To be called only for a payment that was certainly
 * never signed, whose nonce another transaction has for good, or that reverted for good.
 */
export async function refund(
  tx: Tx,
  withdrawal: Withdrawal,
  end: { readonly reason: string; readonly at: Date; readonly hash: string | null },
): Promise<void> {
  const { id, ownerId, chain, token, units, feeUnits, source, journalId } = withdrawal
  const { at } = end
  if (source === 'custody') {
    const posting: Posting = {
      key: `withdrawal:${id}:refund`,
      reason: 'withdrawal_refunded',
      refId: id,
      chain,
      token,
      debit: { role: 'in_flight', ownerId },
      credit: { role: 'merchant', ownerId },
      units: (units + feeUnits) as typeof units,
    }
    await post(tx, [posting], at)
  } else {
    const journal = assertDefined(journalId, 'the journal of a withdrawal from a wallet')
    await reverseJournal(tx, journal, { scopeId: ownerId, key: `withdrawal-refund:${id}`, at })
  }
  await markRefunded(tx, id, end)
  await giveBackSpend(tx, { refId: id, cents: withdrawal.amountCents }, at)
  await addWithdrawalEvents(tx, [withdrawal], { type: 'payout.crypto.withdraw.refunded', at })
}

type WithdrawalEvent =
  | 'payout.crypto.withdraw.broadcast'
  | 'payout.crypto.withdraw.confirmed'
  | 'payout.crypto.withdraw.refunded'

/** Events are the merchant's: a withdrawal from a wallet has none. */
export async function addWithdrawalEvents(
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  event: {
    readonly type: WithdrawalEvent
    readonly at: Date
    /** Details that the withdrawal does not keep. */
    readonly payload?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const subjects = withdrawals
    .filter(({ source }) => source === 'custody')
    .map(({ id, ownerId, forUserId }) => ({
      merchantId: ownerId,
      accountId: forUserId ?? ownerId,
      subjectId: id,
    }))
  await addEvents(tx, { ...event, subjectType: 'withdrawal', subjects })
}
