// Follows placed orders to their end, one job for each account at a market, finishes cancels that a request
// left, and watches for orders that turn up late.

import {
  CANCELS_DUE,
  createFinishCancels,
  createFollowing,
  createUnmatchedWatch,
  dueKeyOf,
  type FollowingDeps,
  LOOK_UPS_DUE,
  type UnmatchedWatchDeps,
} from '#buying'
import type { Job } from '#infra/jobs/jobs'
import { jobOf } from './job-of.ts'

export interface FollowOrdersDeps extends FollowingDeps, UnmatchedWatchDeps {
  /** How often orders that were given up are looked for. */
  readonly watchEveryMs: number
}

export const createFollowOrders = (deps: FollowOrdersDeps): Job[] => [
  {
    name: jobOf('follow-orders', deps.market),
    everyMs: 100,
    due: { question: LOOK_UPS_DUE, key: keyOf(deps) },
    work: createFollowing(deps),
  },
  {
    name: jobOf('finish-cancels', deps.market),
    everyMs: 500,
    due: { question: CANCELS_DUE, key: keyOf(deps) },
    work: createFinishCancels(deps),
  },
  {
    name: jobOf('watch-orphans', deps.market),
    everyMs: deps.watchEveryMs,
    work: createUnmatchedWatch(deps),
  },
]

const keyOf = ({ market: { id, account } }: Pick<FollowingDeps, 'market'>): string =>
  dueKeyOf({ market: id, account })
