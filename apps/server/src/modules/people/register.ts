// Registration and the confirmation of an e-mail address.
import type { Tx } from '#infra/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { refuseWeakPassword } from './password.ts'
import { HOUR_MS, type Membership, type Origin } from './person.ts'
import { actorOf, actorWithoutSession, recordOwn } from './record.ts'
import { insertMailToken, revokeMailTokens, spendMailToken } from './store/mail-tokens.ts'
import { insertMembership } from './store/members.ts'
import { findByEmail, insertPerson, markVerified } from './store/people.ts'
import { mayMailTo } from './throttle.ts'
import { hashToken, newToken } from './token.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly origin: Origin
}

const LINK_HOURS = 24

/** Thrown by what opens the account when another one has the address already. */
export class AddressTaken extends Error {}

/**
 * A new person with an account of their own, which `openAccount` opens in the same transaction. For an
 * address that has an account nothing changes and its owner gets a mail that says so, at most five in a row:
 * the caller cannot see a difference. Refuses PASSWORD_TOO_WEAK.
 */
export async function register(
  deps: PeopleDeps,
  { email, password, origin }: Registration,
  openAccount: (tx: Tx, at: Date) => Promise<Membership>,
): Promise<void> {
  const { db, clock, secrets, passwords, publicUrl } = deps
  await refuseWeakPassword(password, email)
  const passwordHash = await passwords.hash(password)
  const at = clock.now()
  try {
    await db.transaction(async (tx) => {
      const personId = newId(at.getTime())
      const person = { id: personId, email, passwordHash, emailVerifiedAt: null, at }
      if (!(await insertPerson(tx, person))) throw new AddressTaken()
      const membership = await openAccount(tx, at)
      await insertMembership(tx, { ...membership, personId, at })
      const actor = actorOf(personId, membership, origin)
      await recordOwn(tx, actor, { act: 'person.register', at })
      await mailVerification(tx, deps, { id: personId, email, at })
    })
  } catch (error) {
    if (!(error instanceof AddressTaken)) throw error
    const facts = { loginLink: `${publicUrl()}/dashboard/login` }
    await db.transaction(async (tx) => {
      if (!(await mayMailTo(tx, { email, kind: 'registration', at }))) return
      await queueMail(tx, secrets, { to: email, template: 'already_registered', facts, at })
    })
  }
}

/**
 * Mails another link to an address that waits for its confirmation; the one before works no more. Any other
 * address gets a mail that says how it stands, so that neither answer nor duration shows it; five in a row to
 * one address, with those of registrations.
 */
export async function resendVerification(deps: PeopleDeps, email: string): Promise<void> {
  const { db, clock, secrets, publicUrl } = deps
  const person = await findByEmail(db, email)
  await db.transaction(async (tx) => {
    const at = clock.now()
    if (!(await mayMailTo(tx, { email, kind: 'registration', at }))) return
    if (person === null) {
      const facts = { registerLink: `${publicUrl()}/dashboard/register` }
      await queueMail(tx, secrets, { to: email, template: 'verify_without_account', facts, at })
    } else if (person.emailVerifiedAt !== null) {
      const facts = { loginLink: `${publicUrl()}/dashboard/login` }
      await queueMail(tx, secrets, { to: email, template: 'already_registered', facts, at })
    } else {
      await revokeMailTokens(tx, { personId: person.id, purpose: 'verify_email', at })
      await mailVerification(tx, deps, { id: person.id, email: person.email, at })
    }
  })
}

async function mailVerification(
  tx: Tx,
  { secrets, publicUrl }: PeopleDeps,
  { id: personId, email, at }: { readonly id: string; readonly email: string; readonly at: Date },
): Promise<void> {
  const { token, hash } = newToken()
  const expiresAt = new Date(at.getTime() + LINK_HOURS * HOUR_MS)
  await insertMailToken(tx, { hash, personId, purpose: 'verify_email', at, expiresAt })
  const facts = { link: `${publicUrl()}/dashboard/verify-email#token=${token}` }
  await queueMail(tx, secrets, { to: email, template: 'verify_email', facts, at })
}

/** Refuses TOKEN_INVALID for a token that is unknown, used or expired. */
export async function verifyEmail(
  { db, clock }: PeopleDeps,
  { token, origin }: { readonly token: string; readonly origin: Origin },
): Promise<void> {
  await db.transaction(async (tx) => {
    const at = clock.now()
    const personId = await spendMailToken(tx, {
      hash: hashToken(token),
      purpose: 'verify_email',
      at,
    })
    if (personId === null) return refuse('TOKEN_INVALID')
    await markVerified(tx, personId, at)
    const actor = await actorWithoutSession(tx, personId, origin)
    await recordOwn(tx, actor, { act: 'person.verify_email', at })
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
