// Keeps the figures of days that are over, so that stats of a large merchant read sums instead of trades.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { keepFigures } from '#trades'

const EVERY_MS = 600_000

export const createKeepFigures = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'keep-figures',
  everyMs: EVERY_MS,
  singleton: true,
  work: async ({ signal }) => {
    await keepFigures(db, { at: clock.now(), signal })
    return false
  },
})
