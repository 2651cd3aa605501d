// Sessions that their person ends: this one, another one, or all others.
import type { Actor } from '#audit'
import { refuse } from '#kernel/refusal'
import type { PeopleDeps } from './deps.ts'
import { recordOwn } from './record.ts'
import { lockHolder } from './session.ts'
import * as store from './store/sessions.ts'

type SessionDeps = Pick<PeopleDeps, 'db' | 'clock'>

/** Of a session that has ended meanwhile nothing is recorded. */
export const logOut = (
  { db, clock }: SessionDeps,
  actor: Actor,
  sessionId: string,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const isEnded = await store.endSession(tx, { id: sessionId, personId: actor.id, at })
    if (isEnded) await recordOwn(tx, actor, { act: 'person.log_out', at })
  })

/** Refuses NOT_FOUND for one that is another person's or has ended. */
export const endSession = (
  { db, clock }: SessionDeps,
  actor: Actor,
  sessionId: string,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const session = { id: sessionId, personId: actor.id, at }
    if (!(await store.endSession(tx, session))) refuse('NOT_FOUND')
    await recordOwn(tx, actor, { act: 'person.end_session', details: { sessionId }, at })
  })

/** All but `keepId`; how many. Refuses SESSION_EXPIRED when another has ended that one meanwhile. */
export const endOtherSessions = (
  { db, clock }: SessionDeps,
  actor: Actor,
  keepId: string,
): Promise<number> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    await lockHolder(tx, { personId: actor.id, sessionId: keepId })
    const ended = await store.endOtherSessions(tx, { personId: actor.id, keepId, at })
    await recordOwn(tx, actor, { act: 'person.end_other_sessions', details: { ended }, at })
    return ended
  })
