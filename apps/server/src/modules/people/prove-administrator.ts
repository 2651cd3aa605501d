// An administrator proves who they are away from the dashboard: with a code of their authenticator app.
import { refuse } from '#kernel/refusal'
import type { PeopleDeps } from './deps.ts'
import { listMemberships } from './store/members.ts'
import { findByEmail, lockPerson, type PersonRow, spendTotpStep } from './store/people.ts'
import { noteFailure, noteSuccess, refuseThrottled } from './throttle.ts'
import { totpStepOf } from './totp.ts'

type ProvingDeps = Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>

/**
 * Returns the id of the person; the code is spent. Refuses TWO_FACTOR_INVALID alike for a wrong code and for
 * an address that is no administrator's, RATE_LIMITED after failures.
 */
export async function proveAdministrator(
  deps: ProvingDeps,
  { email, code }: { readonly email: string; readonly code: string },
): Promise<string> {
  const { db, clock } = deps
  const source = { email, network: 'command line' }
  await refuseThrottled(db, source, clock.now())
  const person = await findByEmail(db, email)
  if (person === null || !(await spendCode(deps, person, code))) {
    await noteFailure(db, source, clock.now())
    return refuse('TWO_FACTOR_INVALID')
  }
  await noteSuccess(db, source)
  return person.id
}

const spendCode = ({ db, clock, secrets }: ProvingDeps, { id }: PersonRow, code: string) =>
  db.transaction(async (tx) => {
    const person = await lockPerson(tx, id)
    if (person === null || person.twoFactorMethod !== 'totp') return false
    const memberships = await listMemberships(tx, id)
    if (!memberships.some(({ role }) => role === 'administrator')) return false
    const step = totpStepOf({ secrets, person, code, at: clock.now() })
    return step !== null && (await spendTotpStep(tx, id, step))
  })
