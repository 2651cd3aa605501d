// What users owe for deposits that were taken back, and have not repaid within a day, is taken from the spot
// wallet of their merchant where an administrator has set it.

import { type Db, sql } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'

const OWN_TIME_MS = 24 * 3_600_000
const AT_ONCE = 100

const RECOVERABLE = sql(
  'deposits.recoverable_debts',
  'select id from deposits.recoverable_debts($1, $2) id',
)
const RECOVER = sql('deposits.recover_debts', 'select deposits.recover_debts($1, $2, $3)')

/** One round; true when there may be more. */
export async function recoverDebts({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Promise<boolean> {
  const at = clock.now()
  const before = new Date(at.getTime() - OWN_TIME_MS)
  const debtors = await db.query<{ id: string }>(RECOVERABLE, [before, AT_ONCE])
  for (const { id } of debtors) await db.query(RECOVER, [id, before, at])
  return debtors.length === AT_ONCE
}
