// Moves this process's recovery mark forward, so that a restore of the database is noticed.

import type { Db } from '#infra/database/db'
import type { RecoveryMark } from '#infra/database/recovery-mark'
import type { Job } from '#infra/jobs/jobs'

const EVERY_MS = 1000

export const createKeepRecoveryMark = ({
  db,
  mark,
}: {
  readonly db: Db
  readonly mark: RecoveryMark
}): Job => ({
  name: 'keep-recovery-mark',
  everyMs: EVERY_MS,
  work: async () => {
    // A mark that the database lost is evidence: the gates close on it before it is replaced.
    if (await mark.isKnown(db)) await mark.advance()
    return false
  },
})
