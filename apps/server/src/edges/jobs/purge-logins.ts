// Deletes what logins leave behind.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { purgeLogins } from '#people'

const EVERY_MS = 3_600_000

export const createPurgeLogins = ({ db, clock }: { db: Db; clock: Clock }): Job => ({
  name: 'purge-logins',
  everyMs: EVERY_MS,
  singleton: true,
  work: () => purgeLogins(db, clock.now()),
})
