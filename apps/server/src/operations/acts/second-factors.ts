// Second factors that are removed for their person, each with an entry of the audit log.
import { type Actor, recordAct } from '#audit'
import { type AnnouncingDeps, removeFactorsOf, workFactorRemovals } from '#people'
import { type ActDeps, transactionOf } from './act.ts'

const ACT = 'person.remove_factor'
const subjectOf = (id: string) => ({ type: 'person', id })

/** Those that were reported as lost 72 hours ago: an act of their person. True when there may be more. */
export const removeLostFactors = (deps: AnnouncingDeps): Promise<boolean> =>
  workFactorRemovals(deps, (tx, { personId, address, askedAt, at }) =>
    recordAct(tx, {
      actor: { kind: 'member', id: personId, request: { address } },
      ...{ act: ACT, subject: subjectOf(personId), at },
      details: { askedAt: askedAt.toISOString() },
    }),
  )

/** At once, by an operator who has made sure of the person. Refuses NOT_FOUND where there is none. */
export const removeSecondFactor = (
  { db, clock }: ActDeps,
  actor: Actor,
  { email, reason }: { readonly email: string; readonly reason: string },
): Promise<void> =>
  transactionOf(db, actor, async (tx) => {
    const at = clock.now()
    const subject = subjectOf(await removeFactorsOf(tx, email, at))
    await recordAct(tx, { actor, act: ACT, subject, details: { reason }, at })
  })
