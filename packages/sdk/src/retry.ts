// When to retry a retryable request.

/** Statuses after which a retry may succeed. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

export const isTransient = (status: number): boolean => TRANSIENT.has(status)

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

export interface RetryDetails {
  /** How often the request has been sent, at least once. */
  readonly attempts: number
  /** From the `retry-after` header; null without one. */
  readonly retryAfterMs: number | null
  /** From 0 to 1, without 1. */
  readonly random: number
}

/**
 * How long to wait before the next attempt. `retry-after` is the minimum; up to a tenth is added, so that
 * many clients that were refused together do not return together. Without it the pause doubles each time,
 * and half of it is random.
 */
export function pauseMs({ attempts, retryAfterMs, random }: RetryDetails): number {
  if (retryAfterMs !== null) return Math.ceil(retryAfterMs * (1 + random / 10))
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS)
  return Math.ceil(longest * (0.5 + random / 2))
}

/** RFC 9110: whole seconds or a date. Null when there is none, or none that can be read. */
export function readRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
