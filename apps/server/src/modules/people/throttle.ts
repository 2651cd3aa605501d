// Failed logins slow down the next ones of the same address: from the same network after a few, from all
// networks together after more. A browser in which the person has logged in before counts for itself. Mails
// that a stranger can ask for are few to one address.
import { createHash } from 'node:crypto'
import type { Db, Queryable } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { countFailure, findFailures, forgetFailures, takeAllowance } from './store/throttles.ts'

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
  readonly isStranger?: boolean
}

interface Bucket {
  readonly key: Buffer
  readonly free: number
  readonly policy: string
}

const bucketsOf = (source: LoginSource): readonly Bucket[] => [
  { key: keyOf(source), free: FREE_FAILURES, policy: 'login-failures' },
  ...(source.isStranger
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

/** Refuses RATE_LIMITED while the next try has to wait. */
export async function refuseThrottled(db: Db, source: LoginSource, now: Date): Promise<void> {
  const buckets = bucketsOf(source)
  const known = await findFailures(
    db,
    buckets.map(({ key }) => key),
  )
  for (const { key, free, policy } of buckets) {
    const { failures = 0, lastFailureAt = now } = known.find((row) => row.key.equals(key)) ?? {}
    const wholeMs = waitAfter(failures, free)
    const waitMs = lastFailureAt.getTime() + wholeMs - now.getTime()
    if (wholeMs === 0 || waitMs <= 0) continue
    refuse('RATE_LIMITED', {
      ...{ scope: 'ip', policy, limit: free + 1 },
      windowSeconds: Math.ceil(wholeMs / 1000),
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    })
  }
}

export const noteFailure = async (db: Queryable, source: LoginSource, at: Date): Promise<void> => {
  for (const { key } of bucketsOf(source)) {
    await countFailure(db, { key, at, forgetAfterMs: FORGET_AFTER_MS })
  }
}

/** What all networks failed together stays: else each log-in of the person gives a guesser new tries. */
export const noteSuccess = (db: Db, source: LoginSource): Promise<void> =>
  forgetFailures(db, keyOf(source))

/** Above it a stranger floods a mailbox, or makes its links useless one after the other. */
const MAILS_IN_A_ROW = 5
const MAILS_PAUSE_MS = 3_600_000

/**
 * Whether a mail that a stranger asked for is sent to this address: five of a kind in a row, then none until
 * an hour after the last. The link of a reset lives that long too, so that the newest one always works.
 */
export const mayMailTo = async (
  db: Queryable,
  { email, kind, at }: { readonly email: string; readonly kind: MailKind; readonly at: Date },
): Promise<boolean> =>
  (await takeAllowance(db, {
    ...{ key: keyOf({ email, network: `mails of a ${kind}` }), at, most: MAILS_IN_A_ROW },
    after: new Date(at.getTime() - MAILS_PAUSE_MS),
  })) !== null

/** Failures of one address in the audit log: above them a stranger fills it. */
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
