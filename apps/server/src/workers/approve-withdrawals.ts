// Asks merchants whether their withdrawals may leave.
import type { Job } from '#infra/jobs'
import { type ApprovingDeps, createApproving } from '#payouts'

export const createApproveWithdrawals = (deps: ApprovingDeps): Job => ({
  name: 'approve-withdrawals',
  everyMs: 500,
  wakeOn: ['payout_due'],
  work: createApproving(deps),
})
