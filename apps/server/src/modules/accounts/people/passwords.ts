// A password that was forgotten, and one that is changed.
import type { Actor } from '#audit'
import type { Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import { refuse } from '#kernel/refusal'
import { queueMail, queueNotice } from '#mail'
import type { AnonymousAnswer, PeopleDeps } from './deps.ts'
import { stopRemoval } from './factor-removal.ts'
import { refuseWeakPassword } from './password.ts'
import { HOUR_MS, type Origin } from './person.ts'
import { actorWithoutSession, recordFailure, recordOwn } from './record.ts'
import { lockHolder } from './session.ts'
import { queueAnonymousRequest } from './store/anonymous-requests.ts'
import { issueMailToken, revokeMailTokens, spendMailToken } from './store/mail-tokens.ts'
import {
  lockByEmail,
  lockPerson,
  markVerified,
  type PersonRow,
  setPassword,
} from './store/people.ts'
import { endOtherSessions } from './store/sessions.ts'
import { mayMailTo, takeTry } from './throttle.ts'
import { hashToken } from './token.ts'

const LINK_HOURS = 1
const PURPOSE = 'reset_password'

/**
 * Asks for a link that sets another password; `answerAnonymousRequests` mails it, or that there is no
 * account.
 */
export const forgetPassword = (
  { db, clock, publicUrl }: PeopleDeps,
  email: string,
): Promise<void> => {
  const asked = { kind: 'reset_password', publicUrl: publicUrl() } as const
  return queueAnonymousRequest(db, { email, asked, at: clock.now() })
}

/** A mail in every case, at most five in a row to one address. */
export async function mailReset(
  tx: Tx,
  secrets: SecretBox,
  { email, publicUrl, at }: AnonymousAnswer,
): Promise<void> {
  if (!(await mayMailTo(tx, { email, kind: 'reset', at }))) return
  const person = await lockByEmail(tx, email)
  if (person === null) {
    return queueMail(tx, secrets, { to: email, template: 'reset_without_account', details: {}, at })
  }
  const { id, email: to } = person
  await mailResetLink(tx, secrets, { id, email: to, publicUrl, at, template: 'reset_password' })
}

/** A link that sets a password, and confirms the address of one who has not yet; older ones work no more. */
export async function mailResetLink(
  tx: Tx,
  secrets: SecretBox,
  {
    id: personId,
    email,
    publicUrl,
    at,
    template,
  }: AnonymousAnswer & {
    readonly id: string
    readonly template: 'reset_password' | 'registered_again'
  },
): Promise<void> {
  const expiresAt = new Date(at.getTime() + LINK_HOURS * HOUR_MS)
  await revokeMailTokens(tx, { personId, purpose: PURPOSE, at })
  const token = await issueMailToken(tx, { personId, purpose: PURPOSE, at, expiresAt })
  const details = { link: `${publicUrl}/dashboard/reset-password#token=${token}` }
  await queueMail(tx, secrets, { to: email, template, details, at })
}

/**
 * Sets the password behind a link of a mail and ends every session, and log-ins that wait for a factor. A
 * second factor stays as it is: a mailbox alone removes none, and a removal that waits was asked for with the
 * old password. Refuses TOKEN_INVALID, and PASSWORD_TOO_WEAK, which leaves the link usable.
 */
export async function resetPassword(
  deps: PeopleDeps,
  {
    token,
    password,
    origin,
    network,
  }: {
    readonly token: string
    readonly password: string
    readonly origin: Origin
    readonly network: string
  },
): Promise<{ readonly personId: string }> {
  const { db, clock, passwords } = deps
  await refuseWeakPassword(password, '')
  const passwordHash = await passwords.hash(password, network)
  return db.transaction(async (tx) => {
    const at = clock.now()
    const personId = await spendMailToken(tx, { hash: hashToken(token), purpose: PURPOSE, at })
    const person = personId === null ? null : await lockPerson(tx, personId)
    if (person === null) return refuse('TOKEN_INVALID')
    await refuseWeakPassword(password, person.email)
    await replacePassword(tx, { person, passwordHash, at })
    // Who can read the mailbox has shown that the address is theirs.
    await markVerified(tx, person.id, at)
    await endOtherSessions(tx, { personId: person.id, keepId: null, at })
    const actor = await actorWithoutSession(tx, person.id, origin)
    await recordOwn(tx, actor, { act: 'person.reset_password', at })
    await noteChange(tx, { to: person.email, origin, at })
    return { personId: person.id }
  })
}

/**
 * Ends all other sessions, log-ins that wait for a factor, and a removal of the second factor. Refuses
 * INVALID_CREDENTIALS for a wrong current password, RATE_LIMITED after failures, and PASSWORD_TOO_WEAK.
 */
export async function changePassword(
  deps: PeopleDeps,
  order: {
    readonly personId: string
    readonly sessionId: string
    readonly current: string
    readonly next: string
    readonly origin: Origin
    readonly actor: Actor
  },
): Promise<void> {
  const { db, clock, passwords } = deps
  const { personId, origin, current: password } = order
  const known = await provePassword(deps, { personId, password, origin })
  await refuseWeakPassword(order.next, known.email)
  const passwordHash = await passwords.hash(order.next, { known: personId })
  await db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, order)
    // Another request has changed it meanwhile.
    if (person.passwordHash !== known.passwordHash) return refuse('INVALID_CREDENTIALS')
    await replacePassword(tx, { person, passwordHash, at })
    await endOtherSessions(tx, { personId: person.id, keepId: order.sessionId, at })
    await recordOwn(tx, order.actor, { act: 'person.change_password', at })
    await noteChange(tx, { to: person.email, origin, at })
  })
}

/** Before an act that cannot be undone. Refuses INVALID_CREDENTIALS, and RATE_LIMITED after failures. */
export async function checkPassword(deps: PeopleDeps, claim: PasswordClaim): Promise<void> {
  await provePassword(deps, claim)
}

interface PasswordClaim {
  readonly personId: string
  readonly password: string
  readonly origin: Origin
}

/** The person whose password it is. Failures slow down the next try in any session of the person. */
async function provePassword(
  { db, clock, passwords }: PeopleDeps,
  { personId, password, origin }: PasswordClaim,
): Promise<PersonRow> {
  const person = await db.transaction((tx) => lockPerson(tx, personId))
  if (person === null) return refuse('INVALID_CREDENTIALS')
  const source = { email: person.email, network: 'session' }
  const taken = await takeTry(db, source, clock.now())
  const [isRight] = await taken.judge(
    passwords.matches(password, [person.passwordHash], { known: personId }),
  )
  if (!isRight) {
    await db.transaction((tx) =>
      recordFailure(tx, person, origin, { what: 'password in a session', at: clock.now() }),
    )
    return refuse('INVALID_CREDENTIALS')
  }
  await taken.succeed()
  return person
}

/**
 * Who asked for the removal of the second factor, or for another address, may have known the old one; who has
 * a link that sets another may not undo this one.
 */
async function replacePassword(
  tx: Tx,
  { person, passwordHash, at }: { person: PersonRow; passwordHash: string; at: Date },
): Promise<void> {
  await setPassword(tx, { personId: person.id, passwordHash, at })
  await stopRemoval(tx, person, { outcome: 'stopped', at })
  for (const purpose of ['change_email', PURPOSE] as const) {
    await revokeMailTokens(tx, { personId: person.id, purpose, at })
  }
}

const noteChange = (
  tx: Tx,
  { to, origin, at }: { to: string; origin: Origin; at: Date },
): Promise<void> => {
  const details = { at: at.toISOString(), address: origin.address }
  return queueNotice(tx, { to, template: 'password_changed', details, at })
}
