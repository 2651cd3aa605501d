// Follows placed orders to their end, one job for each market, finishes cancels that a request left, and
// watches for orders that turn up late.

import {
  createFinishCancels,
  createFollowing,
  createOrphanWatch,
  type FollowingDeps,
  type OrphanWatchDeps,
} from '#buying'
import type { Job } from '#infra/jobs/jobs'

export interface FollowOrdersDeps extends FollowingDeps, OrphanWatchDeps {
  /** How often orders that were given up are looked for. */
  readonly watchEveryMs: number
}

export const createFollowOrders = (deps: FollowOrdersDeps): Job[] => [
  {
    name: `follow-orders-${deps.market.id}`,
    everyMs: 100,
    work: createFollowing(deps),
  },
  {
    name: `finish-cancels-${deps.market.id}`,
    everyMs: 500,
    work: createFinishCancels(deps),
  },
  {
    name: `watch-orphans-${deps.market.id}`,
    everyMs: deps.watchEveryMs,
    work: createOrphanWatch(deps),
  },
]
