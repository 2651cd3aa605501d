// How long rows are kept that are removed by the day or month.
import { CannotStart } from '#infra/process/cannot-start'
import type { Values } from './settings.ts'

export interface KeptDays {
  readonly callsDays: number
  readonly attemptsDays: number
  readonly deliveriesDays: number
  readonly eventsDays: number
}

/** What the guides promise merchants holds in every installation. A worker does not load the contract. */
const PROMISED_DAYS = {
  KEEP_ATTEMPTS_DAYS: 30,
  KEEP_DELIVERIES_DAYS: 30,
  KEEP_EVENTS_DAYS: 400,
} as const

export function keptDays(values: Values): KeptDays {
  for (const name of ['KEEP_ATTEMPTS_DAYS', 'KEEP_DELIVERIES_DAYS', 'KEEP_EVENTS_DAYS'] as const) {
    if (values[name] >= PROMISED_DAYS[name]) continue
    throw new CannotStart(
      `${name} must be at least ${PROMISED_DAYS[name]}, as docs/guides/webhooks.md promises merchants, ` +
        `not ${values[name]}.`,
    )
  }
  return {
    callsDays: values.KEEP_CALLS_DAYS,
    attemptsDays: values.KEEP_ATTEMPTS_DAYS,
    deliveriesDays: values.KEEP_DELIVERIES_DAYS,
    eventsDays: values.KEEP_EVENTS_DAYS,
  }
}
