// A login: the password, and the second factor where the person has one.
import type { Tx } from '#infra/database/db'
import { browserName } from '#kernel/browser-name'
import { refuse } from '#kernel/refusal'
import { queueNotice } from '#mail'
import {
  answerChallenge,
  type Challenge,
  codeProof,
  openChallenge,
  type Proof,
} from './challenge.ts'
import type { PeopleDeps } from './deps.ts'
import { knownDevice } from './device.ts'
import { type ChallengeMethod, type CodeMethod, hasFactor, type Origin } from './person.ts'
import { actorOf, recordOwn } from './record.ts'
import { type BegunSession, beginSession, FRESH_MS } from './session.ts'
import { findRegisteredPassword, queueAnonymousRequest } from './store/anonymous-requests.ts'
import { listMemberships } from './store/members.ts'
import { findByEmail, lockPerson, type PersonRow, personOf } from './store/people.ts'
import { noteFactor } from './store/sessions.ts'
import { type LoginSource, takeTry } from './throttle.ts'

export interface LoginOrder {
  readonly email: string
  readonly password: string
  readonly origin: Origin
  /** The IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string
  /** The cookie of a browser that may be known. */
  readonly device: string | null
}

/**
 * Begins a session. Refuses INVALID_CREDENTIALS after the same work for an unknown address and a wrong
 * password, EMAIL_NOT_VERIFIED for the password of a registration that waits for its confirmation,
 * TWO_FACTOR_REQUIRED with the challenge to answer, RATE_LIMITED after failures.
 */
export async function logIn(deps: PeopleDeps, order: LoginOrder): Promise<BegunSession> {
  const { db, clock, passwords } = deps
  const known = await findByEmail(db, order.email)
  const source = sourceOf(deps, order, known)
  const taken = await takeTry(db, source, clock.now())
  const isConfirmed = known !== null && known.emailVerifiedAt !== null
  // An attacker who registers an address knows this password: the same answer with an account and without.
  const registered = await findRegisteredPassword(db, order.email)
  // All devices of a person are one source: the person has as many turns as anyone else who is known.
  const hashedFor = source.isUnknownBrowser || known === null ? order.network : { known: known.id }
  const stored = [isConfirmed ? known.passwordHash : null, registered]
  const [isRight, isRegistered] = await taken.judge(
    passwords.matches(order.password, stored, hashedFor),
  )
  if (known === null || !isRight) {
    if (isRegistered) {
      await taken.giveBack()
      return refuse('EMAIL_NOT_VERIFIED')
    }
    const asked = { kind: 'failed_log_in', origin: order.origin } as const
    await queueAnonymousRequest(db, { email: order.email, asked, at: clock.now() })
    return refuse('INVALID_CREDENTIALS')
  }
  const next = await db.transaction((tx) => proceed(tx, deps, { order, known }))
  await taken.succeed()
  return 'token' in next ? next : refuse('TWO_FACTOR_REQUIRED', { ...next })
}

/**
 * The hash took its time. A password or a factor that has changed meanwhile is seen under the lock here; one
 * that changes after it ends what begins here. Refuses INVALID_CREDENTIALS for a password of before.
 */
async function proceed(
  tx: Tx,
  deps: PeopleDeps,
  { order: { origin }, known }: { readonly order: LoginOrder; readonly known: PersonRow },
): Promise<BegunSession | Challenge> {
  const at = deps.clock.now()
  const person = await lockPerson(tx, known.id)
  if (person?.passwordHash !== known.passwordHash) return refuse('INVALID_CREDENTIALS')
  return hasFactor(person)
    ? openChallenge(tx, deps, { person, sessionId: null, at })
    : begin(tx, { person, origin, hasSecondFactor: false, by: 'password', at })
}

/** A browser in which the person has logged in before is not slowed down by what attackers guess. */
function sourceOf(
  deps: PeopleDeps,
  { email, network, device: cookie }: LoginOrder,
  known: PersonRow | null,
): LoginSource {
  const device = knownDevice(deps, known?.id ?? '', cookie)
  return device === null
    ? { email, network, isUnknownBrowser: true }
    : { email, network: `device ${device}` }
}

export interface FactorAnswer {
  readonly challengeId: string
  readonly origin: Origin
  /** The session that the request carries. */
  readonly sessionId: string | null
}

/**
 * Answers a challenge. Of a login it begins the session; of a session it makes the session fresh, and returns
 * null. Refuses what `answerChallenge` refuses, and TWO_FACTOR_EXPIRED for a challenge of another session.
 */
export async function proveFactor(
  deps: PeopleDeps,
  { challengeId, origin, sessionId }: FactorAnswer,
  proof: Proof,
): Promise<BegunSession | null> {
  let begun: BegunSession | null = null
  const isStrong = proof.method !== 'email'
  const asked = { challengeId, origin }
  await answerChallenge(deps, asked, proof, async (tx, { challenge, person, at }) => {
    if (challenge.sessionId === null) {
      const by = `password and ${proof.method}` as const
      begun = await begin(tx, { person, origin, hasSecondFactor: isStrong, by, at })
    } else if (challenge.sessionId === sessionId) {
      const freshUntil = new Date(at.getTime() + FRESH_MS)
      await noteFactor(tx, challenge.sessionId, { freshUntil, isStrong })
    } else refuse('TWO_FACTOR_EXPIRED')
  })
  return begun
}

/** `proveFactor` with a code. */
export const giveSecondFactor = (
  deps: PeopleDeps,
  answer: FactorAnswer & { readonly method: CodeMethod; readonly code: string },
): Promise<BegunSession | null> => proveFactor(deps, answer, codeProof(deps, answer))

/**
 * Asks a session for a factor before a sensitive act: refuses TWO_FACTOR_FRESH_REQUIRED with the
 * challenge.
 */
export async function requireFreshFactor(
  deps: PeopleDeps,
  { personId, sessionId }: { readonly personId: string; readonly sessionId: string },
): Promise<never> {
  const challenge = await deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (person === null) return refuse('SESSION_EXPIRED')
    return openChallenge(tx, deps, { person, sessionId, at: deps.clock.now() })
  })
  return refuse('TWO_FACTOR_FRESH_REQUIRED', { ...challenge })
}

/** Refuses INVALID_CREDENTIALS for a person without a membership. */
export async function begin(
  tx: Tx,
  {
    person,
    origin,
    hasSecondFactor,
    by,
    at,
  }: {
    person: PersonRow
    origin: Origin
    hasSecondFactor: boolean
    by: 'password' | 'passkey' | 'registration' | `password and ${ChallengeMethod}`
    at: Date
  },
): Promise<BegunSession> {
  const [membership] = await listMemberships(tx, person.id)
  if (membership === undefined) return refuse('INVALID_CREDENTIALS')
  const details = {
    at: at.toISOString(),
    address: origin.address,
    browser: browserName(origin.userAgent).slice(0, 120) || 'not named',
  }
  await queueNotice(tx, { to: person.email, template: 'new_login', details, at })
  const actor = actorOf(person.id, membership, origin)
  await recordOwn(tx, actor, { act: 'person.log_in', details: { by }, at })
  return beginSession(tx, { person: personOf(person), membership, origin, hasSecondFactor, at })
}
