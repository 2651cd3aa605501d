// An administrator looks at an account with its own pages; its audit log names both.
import { type Actor, recordAct } from '#audit'
import { beginImpersonation, endImpersonation, type Impersonation, type Session } from '#people'
import { type ActDeps, perform } from './act.ts'

export const beginLook = (
  deps: ActDeps,
  actor: Actor,
  order: Pick<Impersonation, 'accountId' | 'accountKind' | 'reason'> & {
    readonly session: Session
  },
): ReturnType<typeof beginImpersonation> => {
  const { session, ...of } = order
  const { accountId, reason } = of
  return perform(
    deps,
    actor,
    {
      act: 'impersonation.begin',
      subject: { type: 'account', id: accountId },
      details: { reason, administrator: session.person.email },
    },
    (tx, at) => beginImpersonation(tx, { ...of, sessionId: session.id, at }),
  )
}

/** One that has ended already is no act. */
export const endLook = (
  { db, clock }: ActDeps,
  actor: Actor,
  { id, accountId, reason }: Impersonation,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    if (!(await endImpersonation(tx, { id, at }))) return
    const subject = { type: 'account', id: accountId }
    await recordAct(tx, { actor, act: 'impersonation.end', subject, details: { reason }, at })
  })
