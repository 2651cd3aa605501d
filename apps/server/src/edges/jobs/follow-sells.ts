// Follows the bots' offers to the end of their hold, and watches for offers that turn up late.
import type { Job } from '#infra/jobs/jobs'
import {
  createLostOfferWatch,
  createSellFollowing,
  OFFERS_DUE,
  type SellFollowingDeps,
} from '#selling'

export interface FollowSellsDeps extends SellFollowingDeps {
  readonly watchEveryMs: number
}

export const createFollowSells = (deps: FollowSellsDeps): Job[] => [
  {
    name: 'follow-sells',
    everyMs: 300,
    due: { question: OFFERS_DUE },
    work: createSellFollowing(deps),
  },
  {
    name: 'watch-lost-offers',
    everyMs: deps.watchEveryMs,
    work: createLostOfferWatch(deps),
  },
]
