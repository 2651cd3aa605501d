// A payment that was made, and that a restored database does not know.
import type { Tx } from '#infra/database/db'
import type { Hex } from '#kernel/chain'
import { refuse } from '#kernel/refusal'
import { cancel, findSent } from '#outbound'
import { addWithdrawalEvents, confirm } from './settle.ts'
import { markApproved } from './store/approvals.ts'
import { lockWithdrawal, markBroadcast } from './store/withdrawals.ts'

/**
 * An operator found the transaction that paid a withdrawal: it is confirmed, and not paid again. Refuses
 * CRYPTO_PAYOUT_NOT_FOUND for one that was signed, which the chain decides, or that is at its end, and for a
 * transaction of another payment.
 */
export async function recordLostPayment(
  tx: Tx,
  id: string,
  { hash, nonce, at }: { readonly hash: Hex; readonly nonce: number; readonly at: Date },
): Promise<void> {
  const withdrawal = await lockWithdrawal(tx, id)
  const isOpen = withdrawal?.status === 'pending_callback' || withdrawal?.status === 'queued'
  if (!isOpen || (await findSent(tx, [hash])).size > 0) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  if (withdrawal.status === 'pending_callback') await markApproved(tx, [withdrawal], at)
  else if (!(await isTakenBack(tx, id, at))) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  // Without a nonce: by it the audit knows a payment that no transaction of ours made. The event has it.
  const sent = await markBroadcast(tx, [{ refId: id, hash, nonce: null, at }])
  await addWithdrawalEvents(tx, sent, {
    ...{ type: 'payout.crypto.withdraw.broadcast', at },
    payload: { nonce },
  })
  await confirm(tx, withdrawal, { hash, at })
}

/** False: its payment was signed, or is being signed. One that an operator holds has none yet. */
async function isTakenBack(tx: Tx, id: string, at: Date): Promise<boolean> {
  const answer = await cancel(tx, { purpose: 'payout', refId: id, at })
  return answer === 'canceled' || answer === 'too_late'
}
