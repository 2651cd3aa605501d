// Registration and the confirmation of an e-mail address.
import type { Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail } from '#mail'
import type { AnonymousAnswer, PeopleDeps } from './deps.ts'
import { begin } from './log-in.ts'
import { refuseWeakPassword } from './password.ts'
import { mailResetLink } from './passwords.ts'
import { HOUR_MS, type Membership, type Origin } from './person.ts'
import { actorOf, actorWithoutSession, recordOwn } from './record.ts'
import type { BegunSession } from './session.ts'
import {
  findRegisteredPassword,
  keepRegistration,
  queueAnonymousRequest,
} from './store/anonymous-requests.ts'
import { issueMailToken, revokeMailTokens, spendMailToken } from './store/mail-tokens.ts'
import { insertMembership } from './store/members.ts'
import {
  insertPerson,
  lockByEmail,
  lockPerson,
  markVerified,
  type PersonRow,
} from './store/people.ts'
import { mayMailTo } from './throttle.ts'
import { hashToken } from './token.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly country: string | null
  readonly origin: Origin
  /** As of a log-in. */
  readonly network: string
}

/** How long the link of the mail works, and the mark of the browser that registered. */
export const LINK_HOURS = 24

const MARK = 'browser that registered'

/** Thrown by what opens the account when another one has the address already. */
export class AddressTaken extends Error {}

/**
 * Takes a registration in. The same is written for every address, and `answerAnonymousRequests` opens the
 * account or notifies the owner of the one that exists. Returns the mark of the browser: only with it the
 * link of the mail also logs in, as its reader may not be the one who chose the password. Refuses
 * PASSWORD_TOO_WEAK.
 */
export async function register(
  { db, clock, secrets, passwords, publicUrl }: PeopleDeps,
  { email, password, country, origin, network }: Registration,
): Promise<string> {
  await refuseWeakPassword(password, email)
  const passwordHash = await passwords.hash(password, network)
  const at = clock.now()
  const asked = { kind: 'register', passwordHash, country, origin, publicUrl: publicUrl() } as const
  await db.transaction(async (tx) => {
    await keepRegistration(tx, { email, passwordHash, at })
    await queueAnonymousRequest(tx, { email, asked, at })
  })
  // By the salt of its hash a registration differs from every other.
  return secrets.sign(passwordHash, MARK)
}

/** Asks for another link that confirms an address; `answerAnonymousRequests` mails how it stands. */
export const resendVerification = (
  { db, clock, publicUrl }: PeopleDeps,
  email: string,
): Promise<void> => {
  const asked = { kind: 'resend_verification', publicUrl: publicUrl() } as const
  return queueAnonymousRequest(db, { email, asked, at: clock.now() })
}

/** Opens the account of a new person, in the same transaction. */
export type OpenAccount = (
  tx: Tx,
  details: { readonly email: string; readonly country: string | null; readonly at: Date },
) => Promise<Membership>

/** A new person with an account of their own. Throws AddressTaken for an address that has an account. */
export async function openPerson(
  tx: Tx,
  secrets: SecretBox,
  registration: AnonymousAnswer & {
    readonly passwordHash: string
    readonly country: string | null
    readonly origin: Origin
  },
  openAccount: OpenAccount,
): Promise<void> {
  const { email, publicUrl, passwordHash, country, origin, at } = registration
  const personId = newId(at.getTime())
  const person = { id: personId, email, passwordHash, emailVerifiedAt: null, at }
  if (!(await insertPerson(tx, person))) throw new AddressTaken()
  const membership = await openAccount(tx, { email, country, at })
  await insertMembership(tx, { ...membership, personId, at })
  await recordOwn(tx, actorOf(personId, membership, origin), { act: 'person.register', at })
  await mailVerification(tx, secrets, { id: personId, email, publicUrl, at })
}

/**
 * To the owner of an address that was registered again: at most five in a row. While it is not confirmed, who
 * registered it first and who reads the mailbox may be two people: the link lets the reader set the password.
 */
export async function mailTaken(
  tx: Tx,
  secrets: SecretBox,
  { email, publicUrl, at }: AnonymousAnswer,
): Promise<void> {
  if (!(await mayMailTo(tx, { email, kind: 'registration', at }))) return
  const person = await lockByEmail(tx, email)
  if (person !== null && person.emailVerifiedAt === null) {
    const { id } = person
    const template = 'registered_again'
    return mailResetLink(tx, secrets, { id, email: person.email, publicUrl, at, template })
  }
  const details = { loginLink: `${publicUrl}/dashboard/login` }
  await queueMail(tx, secrets, { to: email, template: 'already_registered', details, at })
}

/**
 * Mails another link to an address that waits for its confirmation; the one before works no more. Any other
 * address, and one that was registered more than once, gets a mail that says how it stands; five in a row to
 * one address, with those of registrations.
 */
export async function mailConfirmation(
  tx: Tx,
  secrets: SecretBox,
  answer: AnonymousAnswer,
): Promise<void> {
  const { email, publicUrl, at } = answer
  const person = await lockByEmail(tx, email)
  if (person !== null && !(await awaitsConfirmation(tx, person))) {
    return mailTaken(tx, secrets, answer)
  }
  if (!(await mayMailTo(tx, { email, kind: 'registration', at }))) return
  if (person === null) {
    const details = { registerLink: `${publicUrl}/dashboard/register` }
    return queueMail(tx, secrets, { to: email, template: 'verify_without_account', details, at })
  }
  await revokeMailTokens(tx, { personId: person.id, purpose: 'verify_email', at })
  await mailVerification(tx, secrets, { id: person.id, email: person.email, publicUrl, at })
}

/**
 * Whether a click on a link confirms the address: it is not confirmed, and was registered once. What was
 * registered after that may be the owner's password, and the person has an attacker's.
 */
async function awaitsConfirmation(tx: Tx, person: PersonRow): Promise<boolean> {
  if (person.emailVerifiedAt !== null) return false
  return (await findRegisteredPassword(tx, person.email)) === person.passwordHash
}

async function mailVerification(
  tx: Tx,
  secrets: SecretBox,
  { id: personId, email, publicUrl, at }: AnonymousAnswer & { readonly id: string },
): Promise<void> {
  const expiresAt = new Date(at.getTime() + LINK_HOURS * HOUR_MS)
  const token = await issueMailToken(tx, { personId, purpose: 'verify_email', at, expiresAt })
  const details = { link: `${publicUrl}/dashboard/verify-email#token=${token}` }
  await queueMail(tx, secrets, { to: email, template: 'verify_email', details, at })
}

/**
 * Confirms the address, and begins a session for the browser whose `mark` is that of the registration; null
 * for any other. Refuses TOKEN_INVALID for a token that is unknown, used or expired, and for an address that
 * was registered again since: it is confirmed by the link that sets its password.
 */
export async function verifyEmail(
  { db, clock, secrets }: PeopleDeps,
  {
    token,
    origin,
    mark,
  }: { readonly token: string; readonly origin: Origin; readonly mark: string | null },
): Promise<BegunSession | null> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    const personId = await spendMailToken(tx, {
      hash: hashToken(token),
      purpose: 'verify_email',
      at,
    })
    const person = personId === null ? null : await lockPerson(tx, personId)
    if (person === null || !(await awaitsConfirmation(tx, person))) return refuse('TOKEN_INVALID')
    await markVerified(tx, person.id, at)
    const actor = await actorWithoutSession(tx, person.id, origin)
    await recordOwn(tx, actor, { act: 'person.verify_email', at })
    const isOwn = mark !== null && secrets.isSigned(person.passwordHash, mark, MARK)
    return isOwn
      ? begin(tx, { person, origin, hasSecondFactor: false, by: 'registration', at })
      : null
  })
}

/**
 * A person of an account that exists, for seeds and the command line. Refuses nothing but a taken
 * address.
 */
export async function addPerson(
  tx: Tx,
  {
    email,
    passwordHash,
    membership,
    at,
  }: {
    readonly email: string
    readonly passwordHash: string
    readonly membership: Membership
    readonly at: Date
  },
): Promise<string> {
  const id = newId(at.getTime())
  if (!(await insertPerson(tx, { id, email, passwordHash, emailVerifiedAt: at, at }))) {
    const message = 'the e-mail address is taken'
    refuse('VALIDATION_FAILED', {
      errors: [{ in: 'body', pointer: '/email', rule: 'unique', message }],
    })
  }
  await insertMembership(tx, { ...membership, personId: id, at })
  return id
}
