import type { Queryable, Tx } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { lockAndSum } from '#ledger'
import { erase, lockForDeletion } from './store.ts'

/** Which of these accounts have something that has not ended, for example a trade. */
export type FindOpenBusiness = (
  db: Queryable,
  accountIds: readonly string[],
) => Promise<readonly string[]>

export interface DeletionDeps {
  /** A module that opens something for accounts adds itself to this list in main/account-parts.ts. */
  readonly openBusiness: readonly FindOpenBusiness[]
}

/**
 * Deletes a sub-user that has nothing left: no cent in its wallet or in escrow, nothing open. Its
 * history stays, its external id stays taken, its email, platform account and trade URLs go. Refuses
 * USER_HAS_FUNDS_OR_OPEN_TRADES.
 *
 * The account's row is locked first: what opens something for the account either committed before, and is
 * seen here, or waits in `identity.lock_active_account` and is refused. Balances stay locked to the commit.
 */
export async function deleteSubUser(
  tx: Tx,
  id: string,
  at: Date,
  { openBusiness }: DeletionDeps,
): Promise<void> {
  if (!(await lockForDeletion(tx, id))) refuse('USER_NOT_FOUND')
  if ((await lockAndSum(tx, [id])) !== 0n) refuse('USER_HAS_FUNDS_OR_OPEN_TRADES')
  for (const find of openBusiness) {
    if ((await find(tx, [id])).length > 0) refuse('USER_HAS_FUNDS_OR_OPEN_TRADES')
  }
  await erase(tx, id, at)
}
