// Failed logins slow down the next ones of the same address from the same network.
import { createHash } from 'node:crypto'
import type { Db } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { countFailure, findFailures, forgetFailures } from './store/throttles.ts'

const FREE_FAILURES = 4
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 15 * 60_000
const FORGET_AFTER_MS = 24 * 3_600_000

export interface LoginSource {
  readonly email: string
  /** The IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string
}

const keyOf = ({ email, network }: LoginSource): Buffer =>
  createHash('sha256').update(`${email.toLowerCase()} ${network}`).digest()

/** How long the next try waits after this many failures. */
const waitAfter = (failures: number): number =>
  failures <= FREE_FAILURES
    ? 0
    : Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - FREE_FAILURES - 1, 20), LONGEST_WAIT_MS)

/** Refuses RATE_LIMITED while the next try has to wait. */
export async function refuseThrottled(db: Db, source: LoginSource, now: Date): Promise<void> {
  const known = await findFailures(db, keyOf(source))
  if (known === null) return
  const waitMs = known.lastFailureAt.getTime() + waitAfter(known.failures) - now.getTime()
  if (waitMs <= 0) return
  refuse('RATE_LIMITED', {
    ...{ scope: 'ip', policy: 'login-failures', limit: FREE_FAILURES + 1 },
    windowSeconds: Math.ceil(waitAfter(known.failures) / 1000),
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  })
}

export const noteFailure = async (db: Db, source: LoginSource, at: Date): Promise<void> => {
  await countFailure(db, { key: keyOf(source), at, forgetAfterMs: FORGET_AFTER_MS })
}

export const noteSuccess = (db: Db, source: LoginSource): Promise<void> =>
  forgetFailures(db, keyOf(source))
