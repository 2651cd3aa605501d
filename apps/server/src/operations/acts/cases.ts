// A person says what a case was and what was done about it.
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import * as reconciliation from '#reconciliation'
import { type ActDeps, transactionOf } from './act.ts'

/** `by` is the name that the case keeps; without it, the actor's. */
export const resolveCase = (
  { db, clock }: ActDeps,
  actor: Actor,
  caseId: string,
  { reason, by = actor.id }: { readonly reason: string; readonly by?: string },
): Promise<reconciliation.Resolved> =>
  transactionOf(db, actor, async (tx) => {
    const result = await reconciliation.resolveCase({ db: tx, clock }, caseId, { by, reason })
    if (result === 'resolved') {
      const subject = { type: 'case', id: caseId }
      await recordAct(tx, {
        actor,
        act: 'case.resolve',
        subject,
        facts: { reason, by },
        at: clock.now(),
      })
    }
    return result
  })
