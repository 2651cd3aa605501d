// Writes down how the calls of this process to parties outside have ended.
import type { Db } from '#infra/database/db'
import type { OutcomeLog } from '#infra/http/call-outcomes'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { forgetPartyCallers, notePartyCaller, PARTIES } from '#operations'

const EVERY_MS = 5000

export function createNoteParties({
  db,
  clock,
  outcomes,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly outcomes: Pick<OutcomeLog, 'of'>
}): Job {
  let workerId: string | null = null
  return {
    name: 'note-parties',
    everyMs: EVERY_MS,
    work: async ({ processId }) => {
      workerId = processId
      const at = clock.now()
      for (const party of PARTIES) {
        const known = outcomes.of(party)
        if (known !== null) await notePartyCaller(db, { party, workerId, notedAt: at, ...known })
      }
      await forgetPartyCallers(db, { workerId: null, at })
      return false
    },
    atEnd: async () => {
      if (workerId !== null) await forgetPartyCallers(db, { workerId, at: clock.now() })
    },
  }
}
