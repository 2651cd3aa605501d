// Moves what quick-buys have waiting at a market whose account does not cover it, one job for each market.
import { createMoving, type MovingDeps, PLACEMENTS_WAIT } from '#buying'
import type { Job } from '#infra/jobs/jobs'

export function createMoveWaiting(deps: MovingDeps): Job {
  const move = createMoving(deps)
  return {
    name: `move-waiting-${deps.market}`,
    everyMs: 1000,
    due: { question: PLACEMENTS_WAIT, key: deps.market },
    singleton: true,
    work: ({ signal }) => move(signal),
  }
}
