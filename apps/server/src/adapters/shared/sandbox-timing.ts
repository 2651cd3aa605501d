// What the sandbox's markets have in common: it plays in seconds what markets do in minutes.
import type { MarketTiming } from './market-definition.ts'
import { fieldsOf, own, parseJson, smallIntegerOf } from './reader.ts'

export const SANDBOX_TIMING = {
  buyDeadlineMs: 8000,
  callDeadlineMs: 5000,
  buyPatienceMs: 4000,
  lookUpSettleMs: 3000,
  statementSettleMs: 2000,
  breaker: { faultsToOpen: 5, openMs: 500, maxOpenMs: 2000 },
  resyncMs: 120_000,
  balanceMaxAgeMs: 5000,
} as const satisfies MarketTiming

const CANCEL_AGE_MS = 3000

/** The age at which the sandbox lets an order be canceled. */
export function cancelAgeIn(settings: string | undefined): number {
  // Settings of a wrong form are refused by the sandbox itself, with their name.
  const fields = fieldsOf(parseJson(settings ?? ''))
  const age = fields === null ? null : smallIntegerOf(own(fields, 'cancelAfterMs'))
  return age ?? CANCEL_AGE_MS
}

/** The sandbox may accept several keys, each with an account of its own; the service takes the first. */
export const firstKeyIn = (keys: string | undefined, fallback: string): string =>
  keys?.split(',')[0]?.trim() || fallback
