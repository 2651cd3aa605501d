// Deletes what keys with a limit have spent in periods that are over.
import { purgeSpends } from '#identity'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'

const EVERY_MS = 3_600_000
const PURGED_AT_ONCE = 1000

export const createPurgeSpends = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'purge-spends',
  everyMs: EVERY_MS,
  singleton: true,
  work: async () => (await purgeSpends(db, clock.now(), PURGED_AT_ONCE)) === PURGED_AT_ONCE,
})
