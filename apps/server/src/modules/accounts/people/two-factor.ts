// Setting up and removing a second factor that is typed as a code: of an authenticator app, or by mail. Every
// change ends all other sessions.
import type { Actor } from '#audit'
import type { Tx } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import { queueNotice } from '#mail'
import { answerChallenge, codeProof, openMailSetup } from './challenge.ts'
import type { PeopleDeps } from './deps.ts'
import { hasFactor, type Origin } from './person.ts'
import { recordOwn } from './record.ts'
import { firstRecoveryCodes, forgetUselessRecoveryCodes, newRecoveryCodes } from './recovery.ts'
import { lockHolder, noteStrongFactor } from './session.ts'
import { isAdministrator } from './store/members.ts'
import {
  countRecoveryCodes,
  type PersonRow,
  replaceRecoveryCodes,
  setTwoFactor,
  spendTotpStep,
} from './store/people.ts'
import { endOtherSessions } from './store/sessions.ts'
import { newTotp, totpStepOf } from './totp.ts'

type FactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>

interface Holder {
  readonly personId: string
  readonly sessionId: string
  /** For the audit log. */
  readonly actor: Actor
}

/** A new TOTP secret, which counts once a code of it was given. Refuses TWO_FACTOR_ALREADY_ENABLED. */
export const beginTotp = (
  { db, clock, secrets }: FactorDeps,
  { personId, sessionId }: Omit<Holder, 'actor'>,
): Promise<{ readonly secret: string; readonly uri: string }> =>
  db.transaction(async (tx) => {
    const person = await lockHolder(tx, { personId, sessionId })
    if (person.twoFactorMethod === 'totp') refuse('TWO_FACTOR_ALREADY_ENABLED')
    const { secret, uri, sealed } = newTotp(secrets, person)
    const { twoFactorMethod } = person
    await setTwoFactor(tx, {
      ...{ personId, method: twoFactorMethod, sealedTotpSecret: sealed },
      at: clock.now(),
    })
    return { secret, uri }
  })

/**
 * Turns TOTP on; returns the recovery codes of a first factor, shown once: a set that the person has already
 * stays good. The code was given in this session, which has the second factor from then on. Refuses
 * TWO_FACTOR_INVALID and TWO_FACTOR_ALREADY_ENABLED.
 */
export const enableTotp = (
  { db, clock, secrets }: FactorDeps,
  { personId, sessionId, actor, code }: Holder & { readonly code: string },
): Promise<readonly string[] | null> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    if (person.twoFactorMethod === 'totp') refuse('TWO_FACTOR_ALREADY_ENABLED')
    const step = totpStepOf({ secrets, person, code, at })
    if (step === null || !(await spendTotpStep(tx, personId, step))) refuse('TWO_FACTOR_INVALID')
    const { sealedTotpSecret } = person
    await setTwoFactor(tx, { personId, method: 'totp', sealedTotpSecret, at })
    const codes = await firstRecoveryCodes(tx, secrets, personId)
    await noteStrongFactor(tx, sessionId, at)
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    const details = { factor: 'totp', before: person.twoFactorMethod }
    await recordOwn(tx, actor, { act: 'person.add_factor', details, at })
    await note(tx, person.email, 'authenticator_on', at)
    return codes
  })

/**
 * Mails a code to the person, who shows with it that codes arrive. Refuses TWO_FACTOR_ALREADY_ENABLED, and
 * FORBIDDEN to administrators: a mailbox resets the password, so it is no second proof of one.
 */
export const beginMailFactor = (
  { db, clock, secrets }: FactorDeps,
  { personId, sessionId }: Omit<Holder, 'actor'>,
): Promise<{ readonly challengeId: string }> =>
  db.transaction(async (tx) => {
    const person = await lockHolder(tx, { personId, sessionId })
    await refuseMailFactor(tx, person)
    return openMailSetup(tx, { secrets }, { person, sessionId, at: clock.now() })
  })

/**
 * Turns codes by mail on; returns the recovery codes of a first factor, shown once. Refuses what
 * `answerChallenge` and `beginMailFactor` refuse.
 */
export async function enableMailFactor(
  deps: FactorDeps,
  {
    personId,
    sessionId,
    actor,
    challengeId,
    code,
    origin,
  }: Holder & { readonly challengeId: string; readonly code: string; readonly origin: Origin },
): Promise<readonly string[] | null> {
  const proof = codeProof(deps, { method: 'email', code })
  let codes: readonly string[] | null = null
  const setup = { challengeId, origin, isSetup: true }
  await answerChallenge(deps, setup, proof, async (tx, { challenge, person, at }) => {
    if (challenge.sessionId !== sessionId) refuse('TWO_FACTOR_EXPIRED')
    await lockHolder(tx, { personId, sessionId })
    await refuseMailFactor(tx, person)
    await setTwoFactor(tx, { personId, method: 'email', sealedTotpSecret: null, at })
    codes = await firstRecoveryCodes(tx, deps.secrets, personId)
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    await recordOwn(tx, actor, { act: 'person.add_factor', details: { factor: 'email' }, at })
    await note(tx, person.email, 'mail_codes_on', at)
  })
  return codes
}

async function refuseMailFactor(tx: Tx, person: PersonRow): Promise<void> {
  if (person.twoFactorMethod !== null) refuse('TWO_FACTOR_ALREADY_ENABLED')
  if (await isAdministrator(tx, person.id)) refuse('FORBIDDEN')
}

/** Turns codes of an app or by mail off; passkeys stay. Refuses TWO_FACTOR_NOT_ENABLED. */
export const disableTwoFactor = (
  { db, clock }: PeopleDeps,
  { personId, sessionId, actor }: Holder,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    if (person.twoFactorMethod === null) refuse('TWO_FACTOR_NOT_ENABLED')
    await setTwoFactor(tx, { personId, method: null, sealedTotpSecret: null, at })
    await forgetUselessRecoveryCodes(tx, { ...person, twoFactorMethod: null })
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    const details = { factor: person.twoFactorMethod }
    await recordOwn(tx, actor, { act: 'person.turn_off_factor', details, at })
    const template = person.twoFactorMethod === 'email' ? 'mail_codes_off' : 'authenticator_off'
    await note(tx, person.email, template, at)
  })

/** How many codes are not used yet. */
export const countRecovery = ({ db }: Pick<PeopleDeps, 'db'>, personId: string): Promise<number> =>
  countRecoveryCodes(db, personId)

/** Ten new codes, shown once; those before work no more. Refuses TWO_FACTOR_NOT_ENABLED. */
export const renewRecoveryCodes = (
  { db, clock, secrets }: FactorDeps,
  { personId, sessionId, actor }: Holder,
): Promise<readonly string[]> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockHolder(tx, { personId, sessionId })
    if (!hasFactor(person)) refuse('TWO_FACTOR_NOT_ENABLED')
    const { codes, signatures } = newRecoveryCodes(secrets, personId)
    await replaceRecoveryCodes(tx, personId, signatures)
    await recordOwn(tx, actor, { act: 'person.renew_recovery_codes', at })
    await note(tx, person.email, 'recovery_codes_renewed', at)
    return codes
  })

const note = (
  tx: Tx,
  to: string,
  template:
    | 'authenticator_on'
    | 'authenticator_off'
    | 'mail_codes_on'
    | 'mail_codes_off'
    | 'recovery_codes_renewed',
  at: Date,
): Promise<void> => queueNotice(tx, { to, template, details: { at: at.toISOString() }, at })
