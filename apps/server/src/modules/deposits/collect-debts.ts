// What owners owe for deposits that a provider took back is taken from their wallets as soon as they hold
// something: a refund of a trade or a transfer, for example. Later deposits repay it in their own commit.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { collectDebt, findDebtorsWithMoney } from './store/credits.ts'

const AT_ONCE = 100

/** One round; true when there may be more. */
export async function collectDebts({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Promise<boolean> {
  const owners = await findDebtorsWithMoney(db, AT_ONCE)
  for (const owner of owners) {
    await db.transaction((tx) => collectDebt(tx, owner, clock.now()))
  }
  return owners.length === AT_ONCE
}
