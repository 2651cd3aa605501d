// Gives listings to market orders: those that appear or change, and those that are there for orders that are
// new or look again. One process at a time, so that a listing goes to the best order; quantities hold for any
// number of processes.
import { hasDisabled, hasOpen, ORDERS_ALIVE } from '#bidding'
import type { Matching } from '#buying'
import { CHANGE_CHANNEL, type ChangesFollower } from '#catalog'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'

/** New orders are looked for this often; changes of listings wake the job. */
const EVERY_MS = 250
const CHANGES_AT_ONCE = 1000
/** What no change of a listing reports, such as money that reached a market, is found by then. */
const SWEEP_EVERY_MS = 600_000

export interface MatchMarketOrdersDeps {
  readonly db: Db
  readonly clock: Clock
  readonly matching: Matching
  readonly follower: ChangesFollower
  /** Trading is paused: nothing is bought, and changes are kept. */
  isPaused(): Promise<boolean>
}

export function createMatchMarketOrders({
  db,
  clock,
  matching,
  follower,
  isPaused,
}: MatchMarketOrdersDeps): Job {
  let sweptAtMs = clock.now().getTime()
  const isSweepDue = (): boolean => clock.now().getTime() - sweptAtMs >= SWEEP_EVERY_MS
  return {
    name: 'match-market-orders',
    everyMs: EVERY_MS,
    due: { question: ORDERS_ALIVE },
    singleton: true,
    wakeOn: [CHANGE_CHANNEL],
    work: async () => {
      // Changes wake it also while no one waits for a listing; what is not read is kept, or a sweep is due.
      if (!(await hasOpen(db))) return false
      // Also until every order goes on again: a listing is for the best of all, not of those resumed first.
      if ((await isPaused()) || (await hasDisabled(db))) return false
      try {
        const { listings, more, lost } = await follower.read(CHANGES_AT_ONCE)
        if (lost || isSweepDue()) {
          matching.restartSweep()
          sweptAtMs = clock.now().getTime()
        }
        await matching.matchListings(listings)
        const moreOrders = await matching.matchOrders()
        const moreToSweep = await matching.sweep()
        return more || moreOrders || moreToSweep
      } catch (error) {
        // Changes that were read are not read again.
        matching.restartSweep()
        throw error
      }
    },
  }
}
