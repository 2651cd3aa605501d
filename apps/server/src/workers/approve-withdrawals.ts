// Asks merchants whether their withdrawals may leave, and forgets what was posted after 30 days.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { Job } from '#infra/jobs'
import { type ApprovingDeps, createApproving, forgetApprovalBodies } from '#payouts'

export const createApproveWithdrawals = (deps: ApprovingDeps): Job[] => [
  {
    name: 'approve-withdrawals',
    everyMs: 500,
    wakeOn: ['payout_due'],
    work: createApproving(deps),
  },
  createPrune(deps),
]

const KEPT_MS = 30 * 24 * 3_600_000

const createPrune = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): Job => ({
  name: 'prune-approvals',
  everyMs: 3_600_000,
  singleton: true,
  work: async () => (await forgetApprovalBodies(db, new Date(clock.now().getTime() - KEPT_MS))) > 0,
})
