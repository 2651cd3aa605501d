// Failed logins slow down the next ones of the same address: from the same network after a few, from all
// networks together after more. A browser in which the person has logged in before counts for itself. Mails
// that an attacker can ask for are few to one address.
import { createHash } from 'node:crypto'
import type { Db, Queryable, Tx } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import {
  forgetFailures,
  giveTryBack,
  lockFailures,
  setFailures,
  takeAllowance,
} from './store/throttles.ts'

const FREE_FAILURES = 4
/** Of one address from all networks: above what the people of an office mistype in a day. */
const FREE_FAILURES_OF_ALL = 20
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 15 * 60_000
const FORGET_AFTER_MS = 24 * 3_600_000

export interface LoginSource {
  readonly email: string
  /** The IPv4 address, or the /64 network of an IPv6 address; a known device, or a session. */
  readonly network: string
  /** A browser that is not known: it counts for all networks together, too. */
  readonly isUnknownBrowser?: boolean
}

interface Bucket {
  readonly key: Buffer
  readonly free: number
  readonly policy: string
}

const bucketsOf = (source: LoginSource): readonly [Bucket, ...Bucket[]] => [
  { key: keyOf(source), free: FREE_FAILURES, policy: 'login-failures' },
  ...(source.isUnknownBrowser
    ? [
        {
          key: keyOf({ ...source, network: 'all networks' }),
          ...{ free: FREE_FAILURES_OF_ALL, policy: 'account-failures' },
        },
      ]
    : []),
]

const keyOf = ({ email, network }: LoginSource): Buffer =>
  createHash('sha256').update(`${email.toLowerCase()} ${network}`).digest()

/** How long the next try waits after this many failures. */
const waitAfter = (failures: number, free: number): number =>
  failures <= free
    ? 0
    : Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - free - 1, 20), LONGEST_WAIT_MS)

/** A try that was counted, until it is known whether it fails. */
export interface TakenTry {
  /** It was right: the failures of its own network or device are forgotten. */
  succeed(): Promise<void>
  /** It said nothing about the password: as if it had not been. */
  giveBack(): Promise<void>
  /** The result of comparing; the try is given back when that ends with an error. */
  judge<T>(comparing: Promise<T>): Promise<T>
}

/**
 * Counts a try as a failure, before anything is compared: however many come at once, those that have to wait
 * are not judged. Refuses RATE_LIMITED while the next try has to wait, and counts nothing then.
 */
export async function takeTry(db: Db, source: LoginSource, at: Date): Promise<TakenTry> {
  const buckets = bucketsOf(source)
  const lastBefore = new Map<Bucket, Date>()
  await db.transaction(async (tx) => {
    for (const bucket of buckets) lastBefore.set(bucket, await takeTryOf(tx, bucket, at))
  })
  const giveBack = (bucket: Bucket): Promise<void> =>
    giveTryBack(db, { key: bucket.key, at, lastBefore: lastBefore.get(bucket) ?? at })
  const giveAllBack = async (): Promise<void> => {
    for (const bucket of buckets) await giveBack(bucket)
  }
  const [own, ...others] = buckets
  return {
    /** What all networks failed together stays: else each log-in of the person gives a guesser new tries. */
    succeed: async () => {
      await forgetFailures(db, own.key)
      for (const bucket of others) await giveBack(bucket)
    },
    giveBack: giveAllBack,
    judge: (comparing) =>
      comparing.catch(async (error: unknown) => {
        await giveAllBack()
        throw error
      }),
  }
}

/** Returns when the try before was. Refuses RATE_LIMITED, with the wait that is left after that. */
async function takeTryOf(tx: Tx, { key, free, policy }: Bucket, at: Date): Promise<Date> {
  const { failures, lastFailureAt } = await lockFailures(tx, key, at)
  const isOld = lastFailureAt.getTime() < at.getTime() - FORGET_AFTER_MS
  const wholeMs = isOld ? 0 : waitAfter(failures, free)
  const waitMs = lastFailureAt.getTime() + wholeMs - at.getTime()
  if (wholeMs > 0 && waitMs > 0) {
    refuse('RATE_LIMITED', {
      ...{ scope: 'ip', policy, limit: free + 1 },
      windowSeconds: Math.ceil(wholeMs / 1000),
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    })
  }
  await setFailures(tx, key, { failures: isOld ? 1 : failures + 1, lastFailureAt: at })
  return lastFailureAt
}

/** Above it an attacker floods a mailbox, or makes its links useless one after the other. */
const MAILS_IN_A_ROW = 5
const MAILS_PAUSE_MS = 3_600_000

/**
 * Whether a mail that an attacker asked for is sent to this address: five of a kind in a row, then none until
 * an hour after the last. The link of a reset lives that long too, so that the newest one always works.
 */
export const mayMailTo = (
  db: Queryable,
  { email, kind, at }: { readonly email: string; readonly kind: MailKind; readonly at: Date },
): Promise<boolean> =>
  takeMail(db, { email, network: `mails of a ${kind}` }, { at, most: MAILS_IN_A_ROW })

/** To one address from all accounts: accounts are free, and each invitation is a mail. */
const INVITATIONS_OF_ALL = 20

/** Whether another invitation to this address may be sent; in a row as with `mayMailTo`. */
export const mayInviteTo = async (
  db: Queryable,
  {
    email,
    accountId,
    at,
  }: { readonly email: string; readonly accountId: string; readonly at: Date },
): Promise<boolean> =>
  (await takeMail(
    db,
    { email, network: `invitations of ${accountId}` },
    { at, most: MAILS_IN_A_ROW },
  )) && (await takeMail(db, { email, network: 'invitations' }, { at, most: INVITATIONS_OF_ALL }))

/** So many in a row; false: none until an hour after the last. */
const takeMail = async (
  db: Queryable,
  source: LoginSource,
  { at, most }: { readonly at: Date; readonly most: number },
): Promise<boolean> => {
  const after = new Date(at.getTime() - MAILS_PAUSE_MS)
  return (await takeAllowance(db, { key: keyOf(source), at, most, after })) !== null
}

/** Failures of one address in the audit log: above them an attacker fills it. */
const FAILURES_RECORDED = 20

/**
 * Whether a failure of this address is listed: twenty, then none until a day after the last that was. Null:
 * no; true: it is the last.
 */
export async function mayRecordFailure(
  db: Queryable,
  email: string,
  at: Date,
): Promise<boolean | null> {
  const count = await takeAllowance(db, {
    ...{ key: keyOf({ email, network: 'failures in the log' }), at, most: FAILURES_RECORDED },
    after: new Date(at.getTime() - FORGET_AFTER_MS),
  })
  return count === null ? null : count === FAILURES_RECORDED
}

type MailKind = 'registration' | 'reset'
