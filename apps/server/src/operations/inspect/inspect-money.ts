// A deposit and a withdrawal as an operator inspects them: the record, what others reported about it, and
// every posting about it, in cents and in kind.
import { listAudit } from '#audit'
import { listPostingsInKind, type PostingInKind } from '#custody'
import {
  type CreditEntry,
  type Deposit,
  findProviderOrder,
  type HeldPayment,
  listHeldOf,
  type OrderDetails,
  type ReversalEntry,
  readDepositEntries,
  readDeposits,
} from '#deposits'
import type { Queryable, Snapshot } from '#infra/database/db'
import { listPostingsAbout, type PostingAbout } from '#ledger'
import { readByReferences } from '#outbound'
import {
  type ApprovalAttempt,
  type CustodyDeposit,
  listApprovalAttempts,
  readCustodyDeposits,
  readWithdrawals,
  type Withdrawal,
} from '#payouts'

export interface DepositInspection {
  readonly deposit: Deposit
  readonly entries: {
    readonly credits: readonly CreditEntry[]
    readonly reversals: readonly ReversalEntry[]
  }
  readonly held: readonly HeldPayment[]
  readonly details: OrderDetails
  readonly postings: readonly PostingAbout[]
}

/** Null when there is no such deposit. */
export async function inspectDeposit(at: Snapshot, id: string): Promise<DepositInspection | null> {
  const [deposit] = await readDeposits(at, [id])
  if (deposit === undefined) return null
  const entries = await readDepositEntries(at, id)
  const held = await listHeldOf(at, id)
  const order = await findProviderOrder(at, id)
  const postings = await listPostingsAbout(at, [id])
  return { deposit, entries, held, details: order?.details ?? {}, postings }
}

export interface CustodyDepositInspection {
  readonly deposit: CustodyDeposit
  readonly postings: readonly PostingInKind[]
}

/** A deposit into payout custody, by the id of its transfer; null when there is none. */
export async function inspectCustodyDeposit(
  at: Snapshot,
  id: string,
): Promise<CustodyDepositInspection | null> {
  const [deposit] = await readCustodyDeposits(at, [id])
  return deposit === undefined ? null : { deposit, postings: await listPostingsInKind(at, [id]) }
}

export interface WithdrawalInspection {
  readonly withdrawal: Withdrawal
  readonly attempts: readonly ApprovalAttempt[]
  /** In cents: of a withdrawal from a wallet. */
  readonly postings: readonly PostingAbout[]
  /** In the token that it pays. */
  readonly postingsInKind: readonly PostingInKind[]
  readonly decisions: readonly WithdrawalDecision[]
  readonly transactionHold: string | null
}

/** What an operator decided about a withdrawal. */
export interface WithdrawalDecision {
  readonly at: Date
  readonly decision: 'release' | 'refuse' | 'decide'
  readonly actorId: string
  readonly reason: string
}

/** Null when there is no such withdrawal. */
export async function inspectWithdrawal(
  at: Snapshot,
  id: string,
): Promise<WithdrawalInspection | null> {
  const [withdrawal] = await readWithdrawals(at, [id])
  if (withdrawal === undefined) return null
  const attempts = await listApprovalAttempts(at, id)
  const postings = await listPostingsAbout(at, [id])
  const postingsInKind = await listPostingsInKind(at, [id])
  const decisions = await listDecisions(at, id)
  const transactionHold = await readTransactionHold(at, withdrawal)
  return { withdrawal, attempts, postings, postingsInKind, decisions, transactionHold }
}

/** Why the transaction of an open withdrawal is held back; null: it is not, or there is none. */
export async function readTransactionHold(
  db: Queryable,
  { id, status }: Pick<Withdrawal, 'id' | 'status'>,
): Promise<string | null> {
  if (status !== 'queued' && status !== 'broadcast') return null
  const [transaction] = await readByReferences(db, 'payout', [id])
  return transaction?.holdReason ?? null
}

/** The oldest first; more than this many acts about one withdrawal do not happen. */
async function listDecisions(at: Snapshot, id: string): Promise<WithdrawalDecision[]> {
  const entries = await listAudit(at, { subjectType: 'withdrawal', subjectId: id, limit: 100 })
  return entries.toReversed().flatMap(({ at: time, act, actor, details }) => {
    const decision = DECISIONS[act]
    if (decision === undefined) return []
    return { at: time, decision, actorId: actor.id, reason: String(details.reason ?? '') }
  })
}

const DECISIONS: Readonly<Record<string, WithdrawalDecision['decision'] | undefined>> = {
  'payout.release': 'release',
  'payout.refuse': 'refuse',
  'payout.decide': 'decide',
  'payout.record': 'decide',
}
