// Writes down what this process has heard of the parties outside that it calls.
import type { Db } from '#infra/database/db'
import type { Hearing } from '#infra/http/heard'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import { forgetPartyCallers, notePartyCaller, PARTIES } from '#operations'

const EVERY_MS = 5000

export function createNoteParties({
  db,
  clock,
  hearing,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly hearing: Pick<Hearing, 'of'>
}): Job {
  let workerId: string | null = null
  return {
    name: 'note-parties',
    everyMs: EVERY_MS,
    work: async ({ processId }) => {
      workerId = processId
      const at = clock.now()
      for (const party of PARTIES) {
        const heard = hearing.of(party)
        if (heard !== null) await notePartyCaller(db, { party, workerId, notedAt: at, ...heard })
      }
      await forgetPartyCallers(db, { workerId: null, at })
      return false
    },
    atEnd: async () => {
      if (workerId !== null) await forgetPartyCallers(db, { workerId, at: clock.now() })
    },
  }
}
