// After a restore, the orders that were sent to a market and whose trades are gone are written to the database,
// by what the processes of this folder noted. An order at a market that no item stands behind has a name again,
// and a merchant's repeated buy can adopt it.
import { findLostOrders, insertLostOrders, noteRestore } from '#buying'
import type { Db } from '#infra/database/db'
import type { Intents } from '#infra/database/intents'
import { findNewestMark } from '#infra/database/recovery-mark'
import type { Clock } from '#infra/process/clock'
import { lostOrderOf } from './intent-kinds.ts'

export interface RecordingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly intents: Pick<Intents, 'readAll'>
}

/** Clocks of processes may differ by so much. */
const CLOCKS_MS = 3_600_000
const AT_ONCE = 1000

/**
 * Asked before the recovery mark is advanced. How many orders were not known; repeated, it writes nothing.
 * An order whose item exists is left to the gate.
 */
export async function recordLostOrders(
  { db, clock, intents }: RecordingDeps,
  history: string,
): Promise<number> {
  const copyOf = await findNewestMark(db)
  // A database without a mark is no copy of one that has bought anything.
  if (copyOf === null) return 0
  const restoreId = await noteRestore(db, { history, copyOf, at: clock.now() })
  let count = 0
  for (const noted of intents.readAll(new Date(copyOf.getTime() - CLOCKS_MS))) {
    const orders = noted.flatMap((intent) => lostOrderOf(intent) ?? [])
    for (let from = 0; from < orders.length; from += AT_ONCE) {
      const some = orders.slice(from, from + AT_ONCE)
      const lost = new Set(await findLostOrders(db, some))
      const unknown = some.filter(({ customId }) => lost.has(customId))
      if (unknown.length > 0) count += await insertLostOrders(db, restoreId, unknown)
    }
  }
  return count
}
