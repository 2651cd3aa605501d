// An offer is its worker's until its due time, and a call that changes it leaves only under that claim.

import type { Db } from '#infra/database/db'
import { createSendGuard, type SendGuard, type SendGuardOptions } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import { type ClaimedOffer, isOver, renewClaim } from './store/offers.ts'

export interface GuardDeps {
  readonly db: Db
  readonly clock: Clock
  /** Longer than the deadlines of the calls under it. */
  readonly leaseMs: number
}

/** Renews the claim right before each call; that fails when another worker has claimed the offer since. */
export function guardOf(
  { db, clock, leaseMs }: GuardDeps,
  offer: ClaimedOffer,
  noting?: SendGuardOptions['noting'],
): SendGuard {
  const { offerIntentId, state } = offer
  let { dueAt } = offer
  return createSendGuard({
    db,
    clock,
    leaseMs,
    ...(noting && { noting }),
    renew: async (lease) => {
      const isRenewed = await renewClaim(db, { offerIntentId, state, dueAt }, lease)
      if (isRenewed) dueAt = lease.leaseUntil
      return isRenewed
    },
  })
}

/**
 * For the cancel of an offer that no item waits for any more. No worker claims it, and it never gets items
 * again, so that two workers may cancel it: right before the call it must be over, and no more.
 */
export const guardOfUnmatchedOffer = (
  { db, clock, leaseMs }: GuardDeps,
  offerIntentId: string,
): SendGuard => createSendGuard({ db, clock, leaseMs, renew: () => isOver(db, offerIntentId) })
