// One round of a worker with the patience of tests: a hold of a minute, looked at every second.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { OnCase } from '#trades'
import { createFollowing } from '../follow.ts'
import { createPlacing } from '../place.ts'
import type { Market } from '../ports.ts'

const SECOND = 1000

const NO_CASE: OnCase = (kind) => {
  throw new Error(`an unexpected case: ${kind}`)
}

export interface RoundDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: Market
}

export const placeRound = ({
  onCase = NO_CASE,
  ...deps
}: RoundDeps & { readonly concurrency: number; readonly onCase?: OnCase }) =>
  createPlacing({
    ...deps,
    isMarketAvailable: async () => true,
    holdMs: 60 * SECOND,
    leaseMs: 30 * SECOND,
    giveUpMs: 900 * SECOND,
    onCase,
  })(new AbortController().signal)

export const followRound = (deps: RoundDeps & { readonly onCase: OnCase }) =>
  createFollowing({
    ...deps,
    holdMs: 60 * SECOND,
    leaseMs: 30 * SECOND,
    holdPollMs: SECOND,
  })()
