// Adds what has happened to the figures that the overviews of administrators and partners read.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { foldFigures } from '#operations'

const EVERY_MS = 60_000

export const createKeepOverviews = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'keep-overviews',
  everyMs: EVERY_MS,
  singleton: true,
  work: async ({ signal }) => {
    await foldFigures(db, { at: clock.now(), signal })
    return false
  },
})
