// What those who pay do with their transactions: queue them, cancel them, read them.
import type { Tx } from '#infra/database/db'
import {
  finishTransaction,
  insertTransactions,
  lockTransaction,
  wantMore,
} from './store/transactions.ts'
import type { NewTransaction, Purpose } from './transaction.ts'

/** Queues transactions in the caller's transaction; one that is queued already is left as it is. */
export const submit = (tx: Tx, transactions: readonly NewTransaction[], at: Date): Promise<void> =>
  insertTransactions(tx, transactions, at)

/**
 * `canceled`: never signed, and never will be. `requested`: it was signed; its nonce is filled with a
 * transaction that pays nothing, and one of the two will be mined. `too_late`: it is finished, or being
 * signed at this moment (`busy`), or there is none.
 */
export type CancelAnswer = 'canceled' | 'requested' | 'busy' | 'too_late'

/** The listener is not called for a cancel: the caller knows. */
export async function cancel(
  tx: Tx,
  { purpose, refId, at }: { purpose: Purpose; refId: string; at: Date },
): Promise<CancelAnswer> {
  const transaction = await lockTransaction(tx, purpose, refId)
  switch (transaction?.state) {
    case 'queued':
      await finishTransaction(tx, transaction.id, { state: 'canceled', at, feePaid: null })
      return 'canceled'
    case 'signing':
      return 'busy'
    case 'signed':
    case 'broadcast':
      await wantMore(tx, [transaction.id], 'filler')
      return 'requested'
    default:
      return 'too_late'
  }
}
