// Setting up and removing a second factor. Every change ends all other sessions.
import type { Tx } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { queueNotice } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { forgetUselessRecoveryCodes, newRecoveryCodes } from './recovery.ts'
import { lockPerson, replaceRecoveryCodes, setTwoFactor, spendTotpStep } from './store/people.ts'
import { endOtherSessions } from './store/sessions.ts'
import { newTotp, totpStepOf } from './totp.ts'

type FactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>

interface Holder {
  readonly personId: string
  readonly sessionId: string
}

/** A new TOTP secret, which counts once a code of it was given. Refuses TWO_FACTOR_ALREADY_ENABLED. */
export const beginTotp = (
  { db, clock, secrets }: FactorDeps,
  { personId }: Holder,
): Promise<{ readonly secret: string; readonly uri: string }> =>
  db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (person === null) return refuse('SESSION_EXPIRED')
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
 * Turns TOTP on; returns recovery codes, shown once. Refuses TWO_FACTOR_INVALID and
 * TWO_FACTOR_ALREADY_ENABLED.
 */
export const enableTotp = (
  { db, clock, secrets }: FactorDeps,
  { personId, sessionId, code }: Holder & { readonly code: string },
): Promise<readonly string[]> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockPerson(tx, personId)
    if (person === null) return refuse('SESSION_EXPIRED')
    if (person.twoFactorMethod === 'totp') refuse('TWO_FACTOR_ALREADY_ENABLED')
    const step = totpStepOf({ secrets, person, code, at })
    if (step === null || !(await spendTotpStep(tx, personId, step))) refuse('TWO_FACTOR_INVALID')
    const { sealedTotpSecret } = person
    await setTwoFactor(tx, { personId, method: 'totp', sealedTotpSecret, at })
    const { codes, signatures } = newRecoveryCodes(secrets, personId)
    await replaceRecoveryCodes(tx, personId, signatures)
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    await note(tx, person.email, 'authenticator_on', at)
    return codes
  })

/** Turns the authenticator app off; passkeys stay. Refuses TWO_FACTOR_NOT_ENABLED. */
export const disableTwoFactor = (
  { db, clock }: PeopleDeps,
  { personId, sessionId }: Holder,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const person = await lockPerson(tx, personId)
    if (person === null) return refuse('SESSION_EXPIRED')
    if (person.twoFactorMethod === null) refuse('TWO_FACTOR_NOT_ENABLED')
    await setTwoFactor(tx, { personId, method: null, sealedTotpSecret: null, at })
    await forgetUselessRecoveryCodes(tx, { ...person, twoFactorMethod: null })
    await endOtherSessions(tx, { personId, keepId: sessionId, at })
    await note(tx, person.email, 'authenticator_off', at)
  })

const note = (
  tx: Tx,
  to: string,
  template: 'authenticator_on' | 'authenticator_off',
  at: Date,
): Promise<void> => queueNotice(tx, { to, template, facts: { at: at.toISOString() }, at })
