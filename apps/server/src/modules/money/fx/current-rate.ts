import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createMemo } from '#infra/process/memo'
import { refuse } from '#kernel/refusal'
import { isTooOld } from './check-rate.ts'
import type { Rate } from './rate.ts'
import { findLatestRate } from './store.ts'

/**
 * The rate of now. Without one, or with one older than seven days, everything that needs it is refused
 * with SERVICE_DISABLED: no price is better than a wrong one. Read at most every five seconds; a trade
 * keeps the rate that it was made at.
 */
export function createRateReader({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): () => Promise<Rate> {
  // Neither a failure nor the lack of a rate is kept.
  const read = createMemo(() => findLatestRate(db), {
    clock,
    freshMs: FRESH_MS,
    isKept: (rate) => rate !== null,
  })
  return async () => {
    const rate = await read()
    if (rate === null || isTooOld(rate, clock.now())) {
      return refuse('SERVICE_DISABLED', { reason: 'exchange_rate' })
    }
    return rate
  }
}

const FRESH_MS = 5000
