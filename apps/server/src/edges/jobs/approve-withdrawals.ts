// Asks merchants whether their withdrawals may leave, and forgets what was posted after 30 days.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import {
  APPROVALS_DUE,
  type ApprovingDeps,
  createApproving,
  forgetApprovalBodies,
  pruneApprovedSums,
  purgeQuotes,
} from '#payouts'

export function createApproveWithdrawals(deps: ApprovingDeps): Job[] {
  const approve = createApproving(deps)
  return [
    {
      name: 'approve-withdrawals',
      everyMs: 500,
      due: { question: APPROVALS_DUE },
      wakeOn: ['payout_due'],
      work: ({ signal }) => approve(signal),
    },
    createPrune(deps),
  ]
}

const KEPT_MS = 30 * 24 * 3_600_000

/** The limits look at the sums of one day. */
const SUMS_KEPT_MS = 48 * 3_600_000

const createPrune = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): Job => ({
  name: 'prune-approvals',
  everyMs: 3_600_000,
  singleton: true,
  work: async () => {
    const before = (ms: number): Date => new Date(clock.now().getTime() - ms)
    await pruneApprovedSums(db, before(SUMS_KEPT_MS))
    const forgotten = await forgetApprovalBodies(db, before(KEPT_MS))
    const purged = await purgeQuotes(db, before(0))
    return forgotten + purged > 0
  },
})
