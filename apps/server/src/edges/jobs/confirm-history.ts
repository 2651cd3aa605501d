// Moves this process's recovery mark forward, so that a restore of the database is noticed. When the database
// changed its history, it decides about every gate, also where nothing waits at that moment.

import type { Db } from '#infra/database/db'
import type { Intents } from '#infra/database/intents'
import type { RecoveryMark } from '#infra/database/recovery-mark'
import { forgetSenders } from '#infra/database/senders'
import type { Job } from '#infra/jobs/jobs'
import { findGate, type GateName } from '#reconciliation'

const EVERY_MS = 1000

export interface ConfirmHistoryDeps {
  readonly db: Db
  readonly mark: RecoveryMark
  readonly intents: Pick<Intents, 'beat'>
  readonly gates: readonly GateName[]
  /** Decides about the gate when it must be decided. */
  mayPlace(gate: GateName): Promise<boolean>
}

export function createConfirmHistory(deps: ConfirmHistoryDeps): Job {
  const { db, mark, intents } = deps
  let decided: string | null = null
  return {
    name: 'confirm-history',
    everyMs: EVERY_MS,
    work: async () => {
      // Each time: buys would wait for one that began while the history changed, and ended at once.
      const history = await forgetSenders(db, decided)
      if (history !== decided && (await decideAll(deps, history))) {
        decided = history
        await forgetSenders(db, decided)
      }
      // A mark that the database lost is evidence: the gates close on it before it is replaced.
      if (await mark.isKnown(db)) await mark.advance()
      else await decideAll(deps, history)
      await intents.beat()
      return false
    },
  }
}

async function decideAll(
  { db, gates, mayPlace }: ConfirmHistoryDeps,
  history: string,
): Promise<boolean> {
  for (const gate of gates) await mayPlace(gate)
  const found = await Promise.all(gates.map((gate) => findGate(db, gate)))
  return found.every((gate) => gate?.history === history)
}
