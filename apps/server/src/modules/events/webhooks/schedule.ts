// When an attempt is made again, and when an endpoint has failed for too long. Pure.
import type { DeferralCause, WebhookAnswer } from './ports.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The wait after each failed attempt: 11 retries over about 15 hours. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  4 * HOUR,
]
const JITTER = 0.1
const OVERLOAD_WAIT_MS = 60 * SECOND
const OVERLOAD_STATUSES: readonly number[] = [429, 502, 504]

export const isSuccess = (answer: WebhookAnswer): boolean =>
  answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299

/** After this long a cause on our side is booked as a failure all the same: no delivery waits for ever. */
const DEFERRED_AT_MOST_MS = 1 * HOUR
const DEFERRAL_MS: Readonly<Record<DeferralCause, number>> = {
  resolver: 15 * SECOND,
  host_busy: 1 * SECOND,
  stalled: 1 * SECOND,
}

/** How long a deferred delivery of an event of this age waits, or null when the attempt counts. */
export function deferralMs(answer: WebhookAnswer, ageMs: number, chance: number): number | null {
  if (answer.kind !== 'deferred' || ageMs >= DEFERRED_AT_MOST_MS) return null
  return Math.round(DEFERRAL_MS[answer.cause] * (1 - JITTER + 2 * JITTER * chance))
}

/** The endpoint reports that it no longer exists. */
export const isGone = (answer: WebhookAnswer): boolean =>
  answer.kind === 'answered' && answer.status === 410

/**
 * How long to wait after the failed attempt `attempts` (1 = the first), or null when no retry is left.
 * `Retry-After` is honoured between the step and twice the step; an overloaded endpoint gets a minute at
 * least. `chance` is in [0, 1).
 */
export function retryDelayMs(
  attempts: number,
  answer: WebhookAnswer,
  chance: number,
): number | null {
  const step = RETRY_DELAYS_MS[attempts - 1]
  if (step === undefined) return null
  let wait = step * (1 - JITTER + 2 * JITTER * chance)
  if (answer.kind === 'answered' && answer.retryAfterSeconds !== null) {
    wait = Math.min(Math.max(answer.retryAfterSeconds * SECOND, step), 2 * step)
  }
  const overloaded =
    answer.kind === 'timeout' ||
    (answer.kind === 'answered' && OVERLOAD_STATUSES.includes(answer.status))
  return Math.round(overloaded ? Math.max(wait, OVERLOAD_WAIT_MS) : wait)
}

export interface Failing {
  readonly failingSince: Date
  readonly failedAttempts: number
  readonly exhaustedDeliveries: number
}

const DISABLE_AFTER_MS = 72 * HOUR
const DISABLE_AFTER_ATTEMPTS = 10
const NOTICES = [
  { kind: 'failing_24h', afterMs: 24 * HOUR },
  { kind: 'failing_48h', afterMs: 48 * HOUR },
] as const

/** Three days without a success, a delivery out of retries, and ten failures: the endpoint is abandoned. */
export const mustDisable = (failing: Failing, at: Date): boolean =>
  at.getTime() - failing.failingSince.getTime() >= DISABLE_AFTER_MS &&
  failing.exhaustedDeliveries >= 1 &&
  failing.failedAttempts >= DISABLE_AFTER_ATTEMPTS

/** The warnings that are due by now. */
export const noticesDue = (failing: Failing, at: Date): ('failing_24h' | 'failing_48h')[] =>
  NOTICES.filter(({ afterMs }) => at.getTime() - failing.failingSince.getTime() >= afterMs).map(
    ({ kind }) => kind,
  )
