// The dashboard's views of adjustments by two administrators.
import type { AdminAdjustment, PlannedAdjustment } from '@tradepost/contract'
import type { AccountSummary } from '#identity'
import { type PlannedPosting, type ProposedAdjustment, postingOfAdjustment } from '#operations'
import { moneyNumber } from '../money.ts'

export const plannedAdjustmentView = (
  { id, name, email }: AccountSummary,
  plan: PlannedPosting,
): PlannedAdjustment => ({
  accountId: id,
  accountName: name ?? email ?? id,
  accountEmail: email,
  ...postingView(plan),
})

const postingView = (plan: PlannedPosting) => ({
  debit: nameOf(plan.from),
  credit: nameOf(plan.to),
  amount: moneyNumber(plan.amount),
  currency: plan.currency,
  balanceBefore: moneyNumber(plan.balanceBefore),
  balanceAfter: moneyNumber(plan.balanceAfter),
})

const nameOf = (account: PlannedPosting['from']): string =>
  'house' in account ? `house ${account.house}` : `${account.kind} of ${account.ownerId}`

interface Reading {
  /** E-mail addresses of persons by their ids. */
  readonly names: ReadonlyMap<string, string>
  /** Names and e-mail addresses of accounts by their ids. */
  readonly accounts: ReadonlyMap<string, string>
  readonly accountEmails: ReadonlyMap<string, string>
  readonly readerId: string
}

export const adjustmentView = (
  adjustment: ProposedAdjustment,
  { names, accounts, accountEmails, readerId }: Reading,
): AdminAdjustment => {
  const { proposedBy, decidedBy, decidedAt } = adjustment
  return {
    id: adjustment.id,
    accountId: adjustment.accountId,
    accountName: accounts.get(adjustment.accountId) ?? adjustment.accountId,
    accountEmail: accountEmails.get(adjustment.accountId) ?? null,
    wallet: adjustment.wallet,
    side: adjustment.side,
    ...postingView(postingOfAdjustment(adjustment)),
    reason: adjustment.reason,
    reference: adjustment.reference,
    state: adjustment.state,
    proposedBy: names.get(proposedBy) ?? proposedBy,
    proposedAt: adjustment.proposedAt.toISOString(),
    isOwn: proposedBy === readerId,
    decidedBy: decidedBy && (names.get(decidedBy) ?? decidedBy),
    decidedAt: decidedAt?.toISOString() ?? null,
    decision: adjustment.decision,
    journalId: adjustment.journalId,
  }
}
