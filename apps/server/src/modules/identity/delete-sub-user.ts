import type { Queryable, Tx } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { lockAndSum } from '#ledger'
import { erase, lockForDeletion } from './store.ts'

export interface DeletionDeps {
  /** Trades, and later deposits and withdrawals, that have not come to their end. */
  hasOpenBusiness(tx: Queryable, accountId: string): Promise<boolean>
}

/**
 * Deletes a sub-user that has nothing left: no cent in its wallet or in escrow, nothing under way. Its
 * history stays, its external id stays taken, its email, platform account and trade URLs go. Refuses
 * USER_HAS_FUNDS_OR_OPEN_TRADES.
 *
 * The account's row and its balances stay locked until the commit, so nobody funds it or buys for it in
 * between.
 */
export async function deleteSubUser(
  tx: Tx,
  id: string,
  at: Date,
  { hasOpenBusiness }: DeletionDeps,
): Promise<void> {
  if (!(await lockForDeletion(tx, id))) refuse('USER_NOT_FOUND')
  if ((await lockAndSum(tx, id)) !== 0n) refuse('USER_HAS_FUNDS_OR_OPEN_TRADES')
  if (await hasOpenBusiness(tx, id)) refuse('USER_HAS_FUNDS_OR_OPEN_TRADES')
  await erase(tx, id, at)
}
