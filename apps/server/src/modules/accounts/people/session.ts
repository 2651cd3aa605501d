// Sessions: begun by a login, found by their cookie, refreshed and ended.

import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import type { Impersonation } from './impersonation.ts'
import { type Membership, MINUTE_MS, type Origin, type Person, sessionLife } from './person.ts'
import { actorOf, recordOwn } from './record.ts'
import { listMemberships } from './store/members.ts'
import { lockPerson, type PersonRow } from './store/people.ts'
import {
  endSession,
  findSession,
  insertSession,
  isLiveSession,
  noteFactor,
  replaceToken,
  type SessionRow,
  touchSession,
} from './store/sessions.ts'
import { hashToken, newToken } from './token.ts'

export interface Session {
  readonly id: string
  readonly person: Person
  readonly membership: Membership
  /** When it ends unless it is used again before. */
  readonly expiresAt: Date
  /** When it ends in any case. */
  readonly lastsUntil: Date
  /** Until then a sensitive act needs no factor again. */
  readonly freshUntil: Date
  /** A passkey, a code of an app or a recovery code was given; a code by mail does not count. */
  readonly hasSecondFactor: boolean
  /** Whose pages an administrator sees with it at the moment. */
  readonly impersonation: Impersonation | null
}

export interface BegunSession {
  /** For the cookie; shown once, kept nowhere. */
  readonly token: string
  readonly session: Session
}

/** How long a given factor counts for sensitive acts. */
export const FRESH_MS = 10 * MINUTE_MS
/** Other tabs may still send the token before a refresh for this long. */
const OVERLAP_MS = 30_000
/** The last use is written at most this often. */
const TOUCH_EVERY_MS = MINUTE_MS
const USER_AGENT_LENGTH = 256

export async function beginSession(
  tx: Tx,
  {
    person,
    membership,
    origin,
    hasSecondFactor,
    at,
    freshUntil = new Date(at.getTime() + FRESH_MS),
    endsBy = null,
  }: {
    readonly person: Person
    readonly membership: Membership
    readonly origin: Origin
    readonly hasSecondFactor: boolean
    readonly at: Date
    readonly freshUntil?: Date
    /** It ends by then, as the session that it continues would have. */
    readonly endsBy?: Date | null
  },
): Promise<BegunSession> {
  const { token, hash } = newToken()
  const id = newId(at.getTime())
  const { idleMs, totalMs } = sessionLife(membership.accountKind)
  const wholeLife = new Date(at.getTime() + totalMs)
  const lastsUntil = endsBy === null || wholeLife < endsBy ? wholeLife : endsBy
  const idleUntil = new Date(at.getTime() + idleMs)
  await insertSession(tx, {
    ...{ id, at, expiresAt: lastsUntil, freshUntil, hasSecondFactor, idleUntil },
    ...{ personId: person.id, accountId: membership.accountId, tokenHash: hash },
    address: origin.address,
    userAgent: origin.userAgent.slice(0, USER_AGENT_LENGTH),
  })
  const times = { expiresAt: idleUntil, lastsUntil, freshUntil }
  return {
    token,
    session: { id, person, membership, ...times, hasSecondFactor, impersonation: null },
  }
}

/**
 * The same browser for another of its person's accounts: a new session with the factor of this one, which
 * ends. It lasts no longer than this one would have: a stolen cookie cannot renew itself. Refuses NOT_FOUND
 * for an account that the person is no member of.
 */
export const switchAccount = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { session, accountId, origin }: { session: Session; accountId: string; origin: Origin },
): Promise<BegunSession> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const { person, hasSecondFactor, freshUntil, lastsUntil: endsBy } = session
    // What ends the person's sessions at this moment sees the new one, too, or has ended this one.
    await lockHolder(tx, { personId: person.id, sessionId: session.id })
    const memberships = await listMemberships(tx, person.id)
    const membership = memberships.find((each) => each.accountId === accountId)
    if (membership === undefined) return refuse('NOT_FOUND')
    if (!(await endSession(tx, { id: session.id, personId: person.id, at }))) {
      return refuse('SESSION_EXPIRED')
    }
    const begun = await beginSession(tx, {
      ...{ person, membership, origin, hasSecondFactor, freshUntil, endsBy, at },
    })
    const details = { from: session.membership.accountId }
    const actor = actorOf(person.id, membership, origin)
    await recordOwn(tx, actor, { act: 'person.switch_account', details, at })
    return begun
  })

export interface Holder {
  readonly personId: string
  readonly sessionId: string
}

/**
 * The person of a session, locked for what the session changes of its login. A call that was admitted before
 * the session ended, and waited here for what ended it, is refused with SESSION_EXPIRED.
 */
export async function lockHolder(tx: Tx, holder: Holder): Promise<PersonRow> {
  const person = await lockPerson(tx, holder.personId)
  if (person === null || !(await isLiveSession(tx, holder))) return refuse('SESSION_EXPIRED')
  return person
}

/** The session has just seen proof of an authenticator app or a passkey: it has the factor, and is fresh. */
export const noteStrongFactor = (tx: Tx, id: string, at: Date): Promise<void> =>
  noteFactor(tx, id, { freshUntil: new Date(at.getTime() + FRESH_MS), isStrong: true })

export type FoundSession = Session | 'expired' | null

/** The session of a cookie; `expired` for one that ended or ran out. Notes its use, if this is one. */
export async function recallSession(
  db: Db,
  token: string,
  { now, isUse }: { readonly now: Date; readonly isUse: boolean },
): Promise<FoundSession> {
  const row = await findSession(db, hashToken(token), now)
  if (row === null) return null
  if (row.endedAt !== null || row.idleUntil <= now || row.expiresAt <= now) return 'expired'
  if (isUse && now.getTime() - row.lastSeenAt.getTime() >= TOUCH_EVERY_MS) {
    const { idleMs } = sessionLife(row.accountKind)
    await touchSession(db, { id: row.id, at: now, idleUntil: new Date(now.getTime() + idleMs) })
  }
  return sessionOf(row)
}

/** A new token for the same session; null when another tab has just fetched one, which this one then has. */
export async function refreshSession(
  db: Db,
  { id, token, at }: { readonly id: string; readonly token: string; readonly at: Date },
): Promise<string | null> {
  const next = newToken()
  const isReplaced = await replaceToken(db, {
    id,
    oldHash: hashToken(token),
    newHash: next.hash,
    previousUntil: new Date(at.getTime() + OVERLAP_MS),
  })
  return isReplaced ? next.token : null
}

const sessionOf = (row: SessionRow): Session => ({
  id: row.id,
  person: {
    id: row.personId,
    email: row.email,
    emailVerified: row.emailVerifiedAt !== null,
    twoFactorMethod: row.twoFactorMethod,
    passkeys: row.passkeys,
    factorRemovalAt: row.factorRemovalAt,
  },
  membership: { accountId: row.accountId, accountKind: row.accountKind, role: row.role },
  expiresAt: row.expiresAt < row.idleUntil ? row.expiresAt : row.idleUntil,
  lastsUntil: row.expiresAt,
  freshUntil: row.freshUntil,
  hasSecondFactor: row.hasSecondFactor,
  impersonation: null,
})
