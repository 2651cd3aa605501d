// A second factor is asked for, at a login or before a sensitive act, and answered. Codes by mail are set up
// by a challenge, too.
import { randomInt } from 'node:crypto'
import type { Db, Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { stopRemoval } from './factor-removal.ts'
import {
  type ChallengeMethod,
  type CodeMethod,
  DAY_MS,
  hasFactor,
  hasStrongFactor,
  MINUTE_MS,
  type Origin,
} from './person.ts'
import { actorWithoutSession, recordFailure, recordOwn } from './record.ts'
import { recoverySignature } from './recovery.ts'
import {
  type ChallengeRow,
  countRecentCodes,
  countUnsolvedTries,
  findChallenge,
  findRecentChallenge,
  insertChallenge,
  replaceCode,
  solveChallenge,
  takeTry,
} from './store/challenges.ts'
import { isAdministrator } from './store/members.ts'
import {
  countRecoveryCodes,
  lockPerson,
  type PersonRow,
  spendRecoveryCode,
  spendTotpStep,
} from './store/people.ts'
import { totpStepOf } from './totp.ts'

export interface Challenge {
  readonly challengeId: string
  readonly methods: readonly ChallengeMethod[]
}

const CODE_MINUTES = 10
const CODE_DIGITS = 6
/** A challenge of the same session is used again for this long. */
const REUSE_MS = MINUTE_MS
/** Codes by mail for one person in ten minutes: above it a page or an attacker floods a mailbox. */
const CODES_PER_WINDOW = 10
/**
 * Tries of one person in a day: new challenges and other addresses bring no more. Three codes of an app are
 * good at a time, so that one day of guessing finds one in 6,700 times. Another password gives its owner new
 * tries; who only reads the mailbox sets as many passwords as they like, and has three days' tries in one.
 */
const TRIES_A_DAY = 50
const TRIES_A_DAY_OF_ALL_PASSWORDS = 150

/**
 * Asks for any of the person's factors, the strongest first; by mail for one who has none. A code is mailed
 * where it is the first of them, and else when the person chooses it (`mailCode`). Refuses SERVICE_DISABLED
 * where a code by mail is the only one and mail is switched off.
 */
export async function openChallenge(
  tx: Tx,
  { secrets, sendsMail }: Pick<PeopleDeps, 'secrets' | 'sendsMail'>,
  { person, sessionId, at }: { person: PersonRow; sessionId: string | null; at: Date },
): Promise<Challenge> {
  if (sessionId !== null) {
    const after = new Date(at.getTime() - REUSE_MS)
    const recent = await findRecentChallenge(tx, { personId: person.id, sessionId, after, now: at })
    if (recent !== null) return { challengeId: recent.id, methods: recent.methods }
  }
  const all = await methodsOf(tx, person)
  const methods = sendsMail ? all : all.filter((method) => method !== 'email')
  if (methods.length === 0) return refuse('SERVICE_DISABLED', { reason: 'mail_off' })
  const isMailed = methods[0] === 'email'
  return insertNew(tx, { secrets }, { person, sessionId, methods, isMailed, isSetup: false, at })
}

/** Mails a code that shows that codes reach the person, before they become the second factor. */
export const openMailSetup = (
  tx: Tx,
  deps: Pick<PeopleDeps, 'secrets'>,
  setup: { readonly person: PersonRow; readonly sessionId: string; readonly at: Date },
): Promise<Challenge> =>
  insertNew(tx, deps, { ...setup, methods: ['email'], isMailed: true, isSetup: true })

async function insertNew(
  tx: Tx,
  { secrets }: Pick<PeopleDeps, 'secrets'>,
  {
    person,
    isMailed,
    ...challenge
  }: {
    readonly person: PersonRow
    readonly sessionId: string | null
    readonly methods: readonly ChallengeMethod[]
    readonly isMailed: boolean
    readonly isSetup: boolean
    readonly at: Date
  },
): Promise<Challenge> {
  const { methods, at } = challenge
  const id = newId(at.getTime())
  const code = isMailed ? newCode() : null
  if (code !== null) await refuseCodeFlood(tx, person.id, at)
  await insertChallenge(tx, {
    ...{ ...challenge, id, personId: person.id },
    codeSignature: code === null ? null : codeSignatureOf({ secrets }, id, code),
    expiresAt: new Date(at.getTime() + CODE_MINUTES * MINUTE_MS),
  })
  if (code !== null) {
    const details = { code, minutes: CODE_MINUTES }
    await queueMail(tx, secrets, { to: person.email, template: 'login_code', details, at })
  }
  return { challengeId: id, methods }
}

/**
 * Mails a code for a challenge that takes one; the code before works no more. Refuses TWO_FACTOR_EXPIRED for
 * a challenge that is solved, expired, out of tries, of another session or had three codes,
 * TWO_FACTOR_INVALID for one that takes no code by mail, RATE_LIMITED above ten codes of a person in ten
 * minutes.
 */
export const mailCode = (
  { db, clock, secrets }: Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>,
  { challengeId, sessionId }: { readonly challengeId: string; readonly sessionId: string | null },
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const challenge = await findChallenge(tx, challengeId)
    const isOfOther = challenge?.sessionId != null && challenge.sessionId !== sessionId
    const person = challenge && !isOfOther ? await lockPerson(tx, challenge.personId) : null
    if (!challenge || person === null) return refuse('TWO_FACTOR_EXPIRED')
    if (!challenge.methods.includes('email')) refuse('TWO_FACTOR_INVALID')
    await refuseCodeFlood(tx, person.id, at)
    const code = newCode()
    const signature = codeSignatureOf({ secrets }, challenge.id, code)
    const replaced = await replaceCode(tx, { id: challenge.id, signature, at })
    if (replaced === null) return refuse('TWO_FACTOR_EXPIRED')
    const minutes = Math.ceil((replaced.expiresAt.getTime() - at.getTime()) / MINUTE_MS)
    const details = { code, minutes }
    await queueMail(tx, secrets, { to: person.email, template: 'login_code', details, at })
  })

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
 * challenge that is unknown, solved, expired or out of tries, RATE_LIMITED above fifty tries in a day with
 * one password or 150 with several, TWO_FACTOR_INVALID for a wrong proof.
 */
export async function answerChallenge(
  deps: Pick<PeopleDeps, 'db' | 'clock'>,
  {
    challengeId,
    origin,
    isSetup = false,
  }: { readonly challengeId: string; readonly origin: Origin; readonly isSetup?: boolean },
  proof: Proof,
  onSolved: (tx: Tx, solved: Attempt & { readonly challenge: ChallengeRow }) => Promise<void>,
): Promise<void> {
  const at = deps.clock.now()
  const challenge = await takeTry(deps.db, challengeId, at)
  if (challenge?.isSetup !== isSetup) return refuse('TWO_FACTOR_EXPIRED')
  await refuseGuesser(deps.db, challenge.personId, at)
  if (!challenge.methods.includes(proof.method)) refuse('TWO_FACTOR_INVALID')
  const isRight = await deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, challenge.personId)
    if (person === null) return refuse('TWO_FACTOR_EXPIRED')
    const attempt = { challenge, person, at }
    if (!(await proof.isRight(tx, attempt))) {
      await recordFailure(tx, person, origin, { what: proof.method, at })
      return false
    }
    if (!(await solveChallenge(tx, challenge.id, at))) refuse('TWO_FACTOR_EXPIRED')
    if (!isSetup && hasFactor(person)) await stopRemoval(tx, person, { outcome: 'factor_used', at })
    if (proof.method === 'recovery') await recordRecovery(tx, person.id, { origin, at })
    await onSolved(tx, attempt)
    return true
  })
  if (!isRight) refuse('TWO_FACTOR_INVALID')
}

async function recordRecovery(
  tx: Tx,
  personId: string,
  { origin, at }: { readonly origin: Origin; readonly at: Date },
): Promise<void> {
  const actor = await actorWithoutSession(tx, personId, origin)
  const details = { left: await countRecoveryCodes(tx, personId) }
  await recordOwn(tx, actor, { act: 'person.use_recovery_code', details, at })
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

/** The strongest first. Of an administrator who has a stronger one a mailbox proves nothing. */
async function methodsOf(tx: Tx, person: PersonRow): Promise<ChallengeMethod[]> {
  if (!hasFactor(person)) return ['email']
  const { twoFactorMethod } = person
  const isMailEnough = !hasStrongFactor(person) || !(await isAdministrator(tx, person.id))
  return [
    ...(person.passkeys > 0 ? (['passkey'] as const) : []),
    ...(twoFactorMethod === 'totp' ? (['totp'] as const) : []),
    ...(twoFactorMethod === 'email' && isMailEnough ? (['email'] as const) : []),
    'recovery',
  ]
}

const codeSignatureOf = (
  { secrets }: Pick<PeopleDeps, 'secrets'>,
  id: string,
  code: string,
): string => secrets.sign(`${id} ${code}`, CODE_PURPOSE)

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
  const { present, all } = await countUnsolvedTries(db, personId, dayAgo)
  if (present <= TRIES_A_DAY && all <= TRIES_A_DAY_OF_ALL_PASSWORDS) return
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'second-factor-tries', limit: TRIES_A_DAY },
    ...{ windowSeconds: DAY_MS / 1000, retryAfterSeconds: 3600 },
  })
}

const CODE_PURPOSE = 'code by mail'
