// A second factor that was lost, and the recovery codes with it. Who knows the password asks for its removal;
// the mailbox is notified at once, after 24 hours and at the end, and each mail has a link that stops it. The
// factor goes after 72 hours, unless it was used meanwhile.
import type { Actor } from '#audit'
import type { Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail, queueNotice } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { DAY_MS, HOUR_MS, hasFactor, type Origin } from './person.ts'
import { actorWithoutSession, recordOwn } from './record.ts'
import { isOpenChallenge, takeTry } from './store/challenges.ts'
import {
  countRemovals,
  endRemoval,
  type FactorRemoval,
  findDueRemovals,
  insertRemoval,
  lockRemoval,
  markAnnounced,
} from './store/factor-removals.ts'
import { issueMailToken, spendMailToken } from './store/mail-tokens.ts'
import { isAdministrator } from './store/members.ts'
import { deletePasskeys } from './store/passkeys.ts'
import {
  lockByEmail,
  lockPerson,
  type PersonRow,
  replaceRecoveryCodes,
  setTwoFactor,
} from './store/people.ts'
import { endOtherSessions } from './store/sessions.ts'
import { hashToken } from './token.ts'

const PURPOSE = 'keep_factor'
const WAITS_MS = 72 * HOUR_MS
const ANNOUNCED_AFTER_MS = 24 * HOUR_MS
/** Of one person in a day: each is a mail. */
const MOST_A_DAY = 3
const BATCH = 20

/**
 * Asks with a challenge of a login, whose password was right: an attacker learns nothing and starts nothing.
 * One that waits already is answered again, without a mail. Refuses TWO_FACTOR_EXPIRED for a challenge that
 * cannot be answered any more, FORBIDDEN to administrators, RATE_LIMITED above three in a day.
 */
export async function askForFactorRemoval(
  deps: PeopleDeps,
  { challengeId, origin }: { readonly challengeId: string; readonly origin: Origin },
): Promise<{ readonly removesAt: Date }> {
  const { db, clock } = deps
  const challenge = await takeTry(db, challengeId, clock.now())
  if (challenge === null || challenge.sessionId !== null) return refuse('TWO_FACTOR_EXPIRED')
  return db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockPerson(tx, challenge.personId)
    if (person === null || !hasFactor(person)) return refuse('TWO_FACTOR_EXPIRED')
    // A password that was changed meanwhile has ended what was begun with the one before.
    if (!(await isOpenChallenge(tx, challenge.id, at))) return refuse('TWO_FACTOR_EXPIRED')
    const waiting = await lockRemoval(tx, person.id)
    if (waiting !== null) return { removesAt: waiting.removesAt }
    // Their factor is removed by an operator only.
    if (await isAdministrator(tx, person.id)) return refuse('FORBIDDEN')
    const dayAgo = new Date(at.getTime() - DAY_MS)
    if ((await countRemovals(tx, person.id, dayAgo)) >= MOST_A_DAY) return refuseFlood()
    const removal = {
      ...{ id: newId(at.getTime()), personId: person.id, address: origin.address, askedAt: at },
      removesAt: new Date(at.getTime() + WAITS_MS),
    }
    await insertRemoval(tx, { ...removal, nextAt: new Date(at.getTime() + ANNOUNCED_AFTER_MS) })
    const actor = await actorWithoutSession(tx, person.id, origin)
    const details = { removesAt: removal.removesAt.toISOString() }
    await recordOwn(tx, actor, { act: 'person.ask_factor_removal', details, at })
    await announce(tx, deps, { person, removal, at })
    return { removesAt: removal.removesAt }
  })
}

/** By the link of a mail. Refuses TOKEN_INVALID. */
export const keepFactorByLink = (
  { db, clock }: PeopleDeps,
  { token, origin }: { readonly token: string; readonly origin: Origin },
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const personId = await spendMailToken(tx, { hash: hashToken(token), purpose: PURPOSE, at })
    const person = personId === null ? null : await lockPerson(tx, personId)
    if (person === null || !(await stopRemoval(tx, person, { outcome: 'stopped', at }))) {
      return refuse('TOKEN_INVALID')
    }
    const actor = await actorWithoutSession(tx, person.id, origin)
    await recordOwn(tx, actor, { act: 'person.keep_factor', at })
  })

/** By the person, from any session. Refuses NOT_FOUND when none waits. */
export const keepFactor = ({ db, clock }: PeopleDeps, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const person = await lockPerson(tx, actor.id)
    const at = clock.now()
    if (person === null || !(await stopRemoval(tx, person, { outcome: 'stopped', at }))) {
      refuse('NOT_FOUND')
    }
    await recordOwn(tx, actor, { act: 'person.keep_factor', at })
  })

/** Ends the removal that waits, if one does; its person is locked. */
export async function stopRemoval(
  tx: Tx,
  person: Pick<PersonRow, 'id' | 'email'>,
  { outcome, at }: { readonly outcome: 'stopped' | 'factor_used'; readonly at: Date },
): Promise<boolean> {
  if (!(await endRemoval(tx, { personId: person.id, outcome, at }))) return false
  const details = { at: at.toISOString() }
  await queueNotice(tx, { to: person.email, template: 'factor_kept', details, at })
  return true
}

export type AnnouncingDeps = Omit<PeopleDeps, 'passwords'>

/** What was removed, for the audit log, in the transaction of the removal. */
export type OnRemoved = (tx: Tx, removal: FactorRemoval & { readonly at: Date }) => Promise<void>

/**
 * Announces and removes what is due, one batch; true when there may be more. None while mail is off: its
 * owner would not learn of it, and could not stop it.
 */
export async function workFactorRemovals(
  deps: AnnouncingDeps,
  onRemoved: OnRemoved,
): Promise<boolean> {
  const { db, clock, sendsMail } = deps
  if (!sendsMail) return false
  const due = await findDueRemovals(db, { now: clock.now(), limit: BATCH })
  for (const personId of due) {
    await db.transaction((tx) => step(tx, deps, { personId, onRemoved }))
  }
  return due.length === BATCH
}

/** The person is locked first, as by every use of the factor: of the two one sees what the other did. */
async function step(
  tx: Tx,
  deps: Pick<PeopleDeps, 'clock' | 'secrets' | 'publicUrl'>,
  { personId, onRemoved }: { readonly personId: string; readonly onRemoved: OnRemoved },
): Promise<void> {
  const at = deps.clock.now()
  const person = await lockPerson(tx, personId)
  const removal = person && (await lockRemoval(tx, personId))
  if (!removal) return
  if (!hasFactor(person) || (await isAdministrator(tx, personId))) {
    await endRemoval(tx, { personId, outcome: 'not_possible', at })
    return
  }
  if (removal.announcedAt === null) {
    // A worker that stood still announces late: the person has two days from then on all the same.
    const notBefore = at.getTime() + WAITS_MS - ANNOUNCED_AFTER_MS
    const removesAt = new Date(Math.max(removal.removesAt.getTime(), notBefore))
    await markAnnounced(tx, { id: removal.id, at, removesAt })
    return announce(tx, deps, { person, removal: { ...removal, removesAt }, at })
  }
  if (removal.removesAt > at) return
  await endRemoval(tx, { personId, outcome: 'removed', at })
  await removeFactors(tx, person, at)
  await onRemoved(tx, { ...removal, at })
}

/**
 * At once, for an operator who knows the person: an administrator’s factor goes by this alone. Refuses
 * NOT_FOUND.
 */
export async function removeFactorsOf(tx: Tx, email: string, at: Date): Promise<string> {
  const person = await lockByEmail(tx, email)
  if (person === null || !hasFactor(person)) return refuse('NOT_FOUND')
  await endRemoval(tx, { personId: person.id, outcome: 'not_possible', at })
  await removeFactors(tx, person, at)
  return person.id
}

/** App, passkeys and recovery codes; every session ends. */
async function removeFactors(tx: Tx, { id: personId, email }: PersonRow, at: Date): Promise<void> {
  await setTwoFactor(tx, { personId, method: null, sealedTotpSecret: null, at })
  await deletePasskeys(tx, personId)
  await replaceRecoveryCodes(tx, personId, [])
  await endOtherSessions(tx, { personId, keepId: null, at })
  const details = { at: at.toISOString() }
  await queueNotice(tx, { to: email, template: 'factor_removed', details, at })
}

/** A mail with a link that stops the removal, good until long after it. */
async function announce(
  tx: Tx,
  { secrets, publicUrl }: Pick<PeopleDeps, 'secrets' | 'publicUrl'>,
  {
    person,
    removal,
    at,
  }: {
    readonly person: PersonRow
    readonly removal: Omit<FactorRemoval, 'announcedAt'>
    readonly at: Date
  },
): Promise<void> {
  const expiresAt = new Date(removal.removesAt.getTime() + DAY_MS)
  const token = await issueMailToken(tx, { personId: person.id, purpose: PURPOSE, at, expiresAt })
  const details = {
    link: `${publicUrl()}/dashboard/keep-factor#token=${token}`,
    askedAt: removal.askedAt.toISOString(),
    address: removal.address,
    removesAt: removal.removesAt.toISOString(),
  }
  await queueMail(tx, secrets, { to: person.email, template: 'factor_removal', details, at })
}

const refuseFlood = (): never =>
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'factor-removals', limit: MOST_A_DAY },
    ...{ windowSeconds: DAY_MS / 1000, retryAfterSeconds: 3600 },
  })
