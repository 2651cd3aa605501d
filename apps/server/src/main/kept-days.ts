// How long rows are kept that are removed by the day.
import { CannotStart } from '#infra/process/cannot-start'
import type { Values } from './settings.ts'

export interface KeptDays {
  readonly callsDays: number
  readonly attemptsDays: number
}

/** What the guides promise merchants holds in every installation. */
const PROMISED_ATTEMPTS_DAYS = 30

export function keptDays({ KEEP_CALLS_DAYS, KEEP_ATTEMPTS_DAYS }: Values): KeptDays {
  if (KEEP_ATTEMPTS_DAYS < PROMISED_ATTEMPTS_DAYS) {
    throw new CannotStart(
      `KEEP_ATTEMPTS_DAYS must be at least ${PROMISED_ATTEMPTS_DAYS}, as docs/guides/webhooks.md promises ` +
        `merchants, not ${KEEP_ATTEMPTS_DAYS}.`,
    )
  }
  return { callsDays: KEEP_CALLS_DAYS, attemptsDays: KEEP_ATTEMPTS_DAYS }
}
