// Another e-mail address for a login: confirmed at the new one, reported at the old one.
import type { Actor } from '#audit'
import { refuse } from '#kernel/refusal'
import { queueMail, queueNotice } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { HOUR_MS, type Origin } from './person.ts'
import { actorWithoutSession, recordOwn } from './record.ts'
import { lockHolder } from './session.ts'
import { endLogInChallenges } from './store/challenges.ts'
import {
  countMailTokens,
  issueMailToken,
  revokeMailTokens,
  spendEmailChange,
} from './store/mail-tokens.ts'
import { findByEmail, lockPerson, setEmail } from './store/people.ts'
import { hashToken } from './token.ts'

const PURPOSE = 'change_email'
const LINK_HOURS = 24
/** Of one person in an hour: each is a mail to any address. */
const MOST_AN_HOUR = 5

/**
 * Mails a link to the new address, and a notice to the present one. An address that has a login already gets
 * another mail; the answer is the same. Refuses RATE_LIMITED above five in an hour.
 */
export const requestEmailChange = (
  { db, clock, secrets, publicUrl }: PeopleDeps,
  {
    personId,
    sessionId,
    email,
    origin,
    actor,
  }: { personId: string; sessionId: string; email: string; origin: Origin; actor: Actor },
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    const after = new Date(at.getTime() - HOUR_MS)
    if ((await countMailTokens(tx, { personId, purpose: PURPOSE, after })) >= MOST_AN_HOUR) {
      refuseFlood()
    }
    await revokeMailTokens(tx, { personId, purpose: PURPOSE, at })
    const expiresAt = new Date(at.getTime() + LINK_HOURS * HOUR_MS)
    const order = { personId, purpose: PURPOSE, newEmail: email, at, expiresAt } as const
    const token = await issueMailToken(tx, order)
    if ((await findByEmail(tx, email)) === null) {
      const details = { link: `${publicUrl()}/dashboard/change-email#token=${token}` }
      await queueMail(tx, secrets, { to: email, template: 'confirm_new_email', details, at })
    } else {
      const details = { loginLink: `${publicUrl()}/dashboard/login` }
      await queueMail(tx, secrets, { to: email, template: 'already_registered', details, at })
    }
    const details = { newEmail: email, at: at.toISOString(), address: origin.address }
    await recordOwn(tx, actor, { act: 'person.ask_email_change', details: { newEmail: email }, at })
    await queueNotice(tx, { to: person.email, template: 'email_change_asked', details, at })
  })

/**
 * Sets the address behind a link. Links and codes of log-ins in the old mailbox stop working. Refuses
 * TOKEN_INVALID, also when another person has the address by now.
 */
export const confirmEmailChange = (
  { db, clock }: PeopleDeps,
  { token, origin }: { readonly token: string; readonly origin: Origin },
): Promise<{ readonly email: string }> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const change = await spendEmailChange(tx, hashToken(token), at)
    const person = change === null ? null : await lockPerson(tx, change.personId)
    if (change === null || person === null) return refuse('TOKEN_INVALID')
    const { personId, newEmail: email } = change
    await revokeMailTokens(tx, { personId, purpose: 'reset_password', at })
    await endLogInChallenges(tx, personId)
    const details = { newEmail: email, at: at.toISOString() }
    await queueNotice(tx, { to: person.email, template: 'email_changed', details, at })
    if (!(await setEmail(tx, { personId, email, at }))) return refuse('TOKEN_INVALID')
    const actor = await actorWithoutSession(tx, personId, origin)
    const changes = { email: { from: person.email, to: email } }
    await recordOwn(tx, actor, { act: 'person.change_email', changes, at })
    return { email }
  })

const refuseFlood = (): never =>
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'email-changes', limit: MOST_AN_HOUR },
    ...{ windowSeconds: HOUR_MS / 1000, retryAfterSeconds: 600 },
  })
