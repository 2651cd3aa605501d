// Moving: what a quick-buy has waiting at a market whose account does not cover it goes to another.
import { type Db, sqlState } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { MarketId } from './ports.ts'
import { listMovable, moveWaiting } from './store/accounts.ts'

export interface MovingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: MarketId
  /** False while items that wait may have been placed already. */
  mayPlace(): Promise<boolean>
  onMoved?(itemId: string): void
}

const BATCH = 50
const ATTEMPTS = 4
const FIRST = '00000000-0000-0000-0000-000000000000'

/** A batch of those that wait, each in a transaction of its own; true when there are more after it. */
export function createMoving({
  db,
  clock,
  market,
  mayPlace,
  onMoved,
}: MovingDeps): (signal: AbortSignal) => Promise<boolean> {
  let after = FIRST
  return async (signal) => {
    if (!(await mayPlace())) return false
    const ids = await listMovable(db, { market, after, limit: BATCH })
    for (const id of ids) {
      if (signal.aborted) return false
      after = id
      if (await move(db, clock, id)) onMoved?.(id)
    }
    if (ids.length === BATCH) return true
    after = FIRST
    return false
  }
}

async function move(db: Db, clock: Clock, itemId: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const isLastTry = attempt === ATTEMPTS
    try {
      return await db.transaction((tx) => moveWaiting(tx, itemId, { at: clock.now(), isLastTry }))
    } catch (error) {
      if (isLastTry || sqlState(error) !== 'PT423') throw error
    }
  }
}
