// A second factor is asked for, at a login or before a sensitive act, and answered.
import { randomInt } from 'node:crypto'
import type { Db, Tx } from '#infra/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { stopRemoval } from './factor-removal.ts'
import { type ChallengeMethod, type CodeMethod, DAY_MS, hasFactor, MINUTE_MS } from './person.ts'
import { recoverySignature } from './recovery.ts'
import {
  type ChallengeRow,
  countRecentCodes,
  countUnsolvedTries,
  findRecentChallenge,
  insertChallenge,
  solveChallenge,
  takeTry,
} from './store/challenges.ts'
import { lockPerson, type PersonRow, spendRecoveryCode, spendTotpStep } from './store/people.ts'
import { totpStepOf } from './totp.ts'

export interface Challenge {
  readonly challengeId: string
  readonly methods: readonly ChallengeMethod[]
}

const CODE_MINUTES = 10
const CODE_DIGITS = 6
/** A challenge of the same session is used again for this long. */
const REUSE_MS = MINUTE_MS
/** Codes by mail for one person in ten minutes: above it a page or a stranger floods a mailbox. */
const CODES_PER_WINDOW = 10
/**
 * Tries of one person in a day: new challenges and other addresses bring no more. Three codes of an app are
 * good at a time, so that one day of guessing finds one in 6,700 times.
 */
const TRIES_A_DAY = 50

/** Asks for the strongest factor that the person has; by mail for one who has none. */
export async function openChallenge(
  tx: Tx,
  { secrets }: Pick<PeopleDeps, 'secrets'>,
  { person, sessionId, at }: { person: PersonRow; sessionId: string | null; at: Date },
): Promise<Challenge> {
  if (sessionId !== null) {
    const after = new Date(at.getTime() - REUSE_MS)
    const recent = await findRecentChallenge(tx, { personId: person.id, sessionId, after, now: at })
    if (recent !== null) return { challengeId: recent.id, methods: recent.methods }
  }
  const id = newId(at.getTime())
  const methods = methodsOf(person)
  const code = methods.includes('email') ? newCode() : null
  if (code !== null) await refuseCodeFlood(tx, person.id, at)
  await insertChallenge(tx, {
    ...{ id, sessionId, methods, at },
    personId: person.id,
    codeSignature: code === null ? null : secrets.sign(`${id} ${code}`, CODE_PURPOSE),
    expiresAt: new Date(at.getTime() + CODE_MINUTES * MINUTE_MS),
  })
  if (code !== null) {
    const facts = { code, minutes: CODE_MINUTES }
    await queueMail(tx, secrets, { to: person.email, template: 'login_code', facts, at })
  }
  return { challengeId: id, methods }
}

/** What is given as an answer, and how it is judged under a lock on the person. */
export interface Proof {
  readonly method: ChallengeMethod
  isRight(tx: Tx, attempt: Attempt): Promise<boolean>
}

export interface Attempt {
  /** Null where a passkey logs in alone. */
  readonly challenge: ChallengeRow | null
  readonly person: PersonRow
  readonly at: Date
}

/**
 * Solves a challenge. Each call counts as a try, whatever its proof. Refuses TWO_FACTOR_EXPIRED for a
 * challenge that is unknown, solved, expired or out of tries, RATE_LIMITED above fifty tries in a day until
 * the password is changed, TWO_FACTOR_INVALID for a wrong proof.
 */
export async function answerChallenge(
  deps: PeopleDeps,
  challengeId: string,
  proof: Proof,
  onSolved: (tx: Tx, solved: Attempt & { readonly challenge: ChallengeRow }) => Promise<void>,
): Promise<void> {
  const at = deps.clock.now()
  const challenge = await takeTry(deps.db, challengeId, at)
  if (challenge === null) return refuse('TWO_FACTOR_EXPIRED')
  await refuseGuesser(deps.db, challenge.personId, at)
  if (!challenge.methods.includes(proof.method)) refuse('TWO_FACTOR_INVALID')
  await deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, challenge.personId)
    if (person === null) return refuse('TWO_FACTOR_EXPIRED')
    const attempt = { challenge, person, at }
    if (!(await proof.isRight(tx, attempt))) refuse('TWO_FACTOR_INVALID')
    if (!(await solveChallenge(tx, challenge.id, at))) refuse('TWO_FACTOR_EXPIRED')
    if (hasFactor(person)) await stopRemoval(tx, person, { outcome: 'factor_used', at })
    await onSolved(tx, attempt)
  })
}

/** A code as a person types it. */
export const codeProof = (
  { secrets }: Pick<PeopleDeps, 'secrets'>,
  { method, code }: { readonly method: CodeMethod; readonly code: string },
): Proof => ({
  method,
  isRight: async (tx, { challenge, person, at }) => {
    switch (method) {
      case 'email': {
        const { id, codeSignature } = challenge ?? { id: '', codeSignature: null }
        return (
          codeSignature !== null && secrets.isSigned(`${id} ${code}`, codeSignature, CODE_PURPOSE)
        )
      }
      case 'totp': {
        const step = totpStepOf({ secrets, person, code, at })
        return step !== null && (await spendTotpStep(tx, person.id, step))
      }
      case 'recovery': {
        const signature = recoverySignature(secrets, person.id, code)
        const personId = person.id
        return signature !== null && (await spendRecoveryCode(tx, { personId, signature, at }))
      }
    }
  },
})

/** The strongest first. */
const methodsOf = (person: PersonRow): ChallengeMethod[] =>
  hasFactor(person)
    ? [
        ...(person.passkeys > 0 ? (['passkey'] as const) : []),
        ...(person.twoFactorMethod === null ? [] : [person.twoFactorMethod]),
        'recovery',
      ]
    : ['email']

const newCode = (): string => String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')

async function refuseCodeFlood(tx: Tx, personId: string, at: Date): Promise<void> {
  const after = new Date(at.getTime() - CODE_MINUTES * MINUTE_MS)
  if ((await countRecentCodes(tx, personId, after)) < CODES_PER_WINDOW) return
  refuse('RATE_LIMITED', {
    ...{ scope: 'ip', policy: 'mail-codes', limit: CODES_PER_WINDOW },
    ...{ windowSeconds: CODE_MINUTES * 60, retryAfterSeconds: 60 },
  })
}

/** After the try is counted: of many at the same moment no more than fifty are judged. */
async function refuseGuesser(db: Db, personId: string, at: Date): Promise<void> {
  const dayAgo = new Date(at.getTime() - DAY_MS)
  if ((await countUnsolvedTries(db, personId, dayAgo)) <= TRIES_A_DAY) return
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'second-factor-tries', limit: TRIES_A_DAY },
    ...{ windowSeconds: DAY_MS / 1000, retryAfterSeconds: 3600 },
  })
}

const CODE_PURPOSE = 'code by mail'
