// Ends market orders that have expired, pauses them, and lets them go on.
import { expireOrders, followAccounts, ORDERS_ALIVE, pauseOpen, resumeDisabled } from '#bidding'
import { type ResumingDeps, resumeMarketOrders } from '#buying'
import { ACCOUNT_STATUS_CHANNEL } from '#identity'
import type { Job } from '#infra/jobs/jobs'

const EVERY_MS = 1000
/** Suspensions wake the job. */
const FOLLOW_EVERY_MS = 15_000
const AT_ONCE = 500

export interface KeepMarketOrdersDeps extends ResumingDeps {
  isPaused(): Promise<boolean>
}

export function createKeepMarketOrders(deps: KeepMarketOrdersDeps): Job[] {
  const { db, clock, isPaused } = deps
  return [
    {
      name: 'keep-market-orders',
      everyMs: EVERY_MS,
      due: { question: ORDERS_ALIVE },
      singleton: true,
      work: async () => {
        const expired = await expireOrders(db, clock.now(), AT_ONCE)
        const follow = (await isPaused()) ? pauseOpen : resumeDisabled
        const followed = await follow(db, clock.now(), AT_ONCE)
        return expired === AT_ONCE || followed === AT_ONCE
      },
    },
    {
      // Apart, and at rest between two rounds however much is due: the others do not wait behind it.
      name: 'look-at-paused-orders',
      everyMs: EVERY_MS,
      due: { question: ORDERS_ALIVE },
      singleton: true,
      work: async () => {
        await resumeMarketOrders(deps)
        return false
      },
    },
    {
      name: 'follow-accounts-of-orders',
      everyMs: FOLLOW_EVERY_MS,
      singleton: true,
      wakeOn: [ACCOUNT_STATUS_CHANNEL],
      work: async () => (await followAccounts(db, clock.now(), AT_ONCE)) >= AT_ONCE,
    },
  ]
}
