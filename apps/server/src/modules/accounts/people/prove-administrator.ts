// An administrator proves who they are away from the dashboard: with a code of their authenticator app.
import { refuse } from '#kernel/refusal'
import type { PeopleDeps } from './deps.ts'
import { listMemberships } from './store/members.ts'
import { findByEmail, lockPerson, type PersonRow, spendTotpStep } from './store/people.ts'
import { takeTry } from './throttle.ts'
import { totpStepOf } from './totp.ts'

type ProvingDeps = Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>

/**
 * Returns the id of the person; the code is spent. Refuses TWO_FACTOR_INVALID, with what to do next, which
 * only an operator of the service sees; RATE_LIMITED after failures.
 */
export async function proveAdministrator(
  deps: ProvingDeps,
  { email, code }: { readonly email: string; readonly code: string },
): Promise<string> {
  const { db, clock } = deps
  const source = { email, network: 'command line' }
  const taken = await takeTry(db, source, clock.now())
  const proof = await spendCode(deps, await findByEmail(db, email), code)
  if ('problem' in proof) {
    return refuse('TWO_FACTOR_INVALID', { errors: [{ message: PROBLEMS[proof.problem] }] })
  }
  await taken.succeed()
  return proof.personId
}

const PROBLEMS = {
  unknown: 'No administrator logs in with this address. Give the address of one with --as.',
  'no-app':
    'This administrator has no authenticator app. Set one up in the dashboard under “Security”, then run the command again.',
  wrong:
    'The code is wrong or too old. Run the command again, and type the code that the app shows.',
  used: 'The code was used before. Wait for the next one of the app, at most 30 seconds, and run the command again.',
} as const

type Proof = { readonly personId: string } | { readonly problem: keyof typeof PROBLEMS }

const spendCode = (
  { db, clock, secrets }: ProvingDeps,
  found: PersonRow | null,
  code: string,
): Promise<Proof> =>
  db.transaction(async (tx) => {
    const person = found && (await lockPerson(tx, found.id))
    const memberships = person ? await listMemberships(tx, person.id) : []
    if (person === null || !memberships.some(({ role }) => role === 'administrator'))
      return { problem: 'unknown' }
    if (person.twoFactorMethod !== 'totp') return { problem: 'no-app' }
    const step = totpStepOf({ secrets, person, code, at: clock.now() })
    if (step === null) return { problem: 'wrong' }
    const isSpent = await spendTotpStep(tx, person.id, step)
    return isSpent ? { personId: person.id } : { problem: 'used' }
  })
