// Follows placed orders to their end, one job for each market, and watches for orders that turn up late.
import type { Job } from '#platform/lease'
import { createFollowing, createOrphanWatch, type FollowingDeps } from '#trading'

export const createFollowOrders = (deps: FollowingDeps): Job[] => [
  {
    name: `follow-orders-${deps.market.id}`,
    everyMs: 200,
    work: createFollowing(deps),
  },
  {
    name: `watch-orphans-${deps.market.id}`,
    everyMs: 60_000,
    work: createOrphanWatch(deps),
  },
]
