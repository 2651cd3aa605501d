// A withdrawal in sentences, for an operator: what it is, where it stands and why, and what happens next.
import { formatCents } from '#kernel/money'
import type { Transaction } from '#outbound'
import type { ApprovalAttempt, Withdrawal } from '#payouts'
import { table } from './table.ts'

export interface FoundWithdrawal {
  readonly withdrawal: Withdrawal
  readonly attempts: readonly ApprovalAttempt[]
  readonly transaction: Transaction | null
  readonly leftChain: { readonly missingAt: Date; readonly displacedAt: Date | null } | null
}

export function describeWithdrawal(found: FoundWithdrawal): string {
  const { withdrawal, attempts, leftChain } = found
  const { id, ownerId, externalId, amountCents, feeCents, units, token, chain } = withdrawal
  const lines = [
    `${formatCents(amountCents)} USD, ${units} base units of ${token} on ${chain}, to ${withdrawal.destination}`,
    `Withdrawal ${id}, reference ${externalId}, of account ${ownerId}`,
    `Asked for at ${withdrawal.createdAt.toISOString()}, with a fee of ${formatCents(feeCents)} USD`,
    `State: ${statusTextOf(withdrawal)}`,
    `Payment: ${paymentOf(found)}`,
  ]
  if (leftChain !== null) {
    const { missingAt, displacedAt } = leftChain
    lines.push(
      displacedAt === null
        ? `It left its chain at ${missingAt.toISOString()}, and is sent again.`
        : `It left its chain at ${missingAt.toISOString()}, for good at ${displacedAt.toISOString()}.`,
    )
  }
  if (attempts.length === 0) return lines.join('\n')
  const rows = attempts.map(({ number, startedAt, result }) => ({
    ...{ attempt: number, at: startedAt, answer: result ?? 'none yet' },
  }))
  return `${lines.join('\n')}\n\nApproval:\n${table(rows, ['attempt', 'at', 'answer'])}`
}

/** Of one that is not at its end, with what it waits for. */
export function statusTextOf({ status, heldReason, failureReason }: Withdrawal): string {
  if (heldReason !== null) return `${status}; it waits for you: ${heldReason.replaceAll('_', ' ')}`
  if (status === 'pending_callback') return `${status}; its approval endpoint is asked`
  return failureReason === null ? status : `${status}: ${failureReason}`
}

function paymentOf({ withdrawal: { txHash, status }, transaction }: FoundWithdrawal): string {
  if (transaction === null)
    return txHash === null ? 'none yet' : `${txHash}, which an operator named`
  const { state, nonce, holdReason } = transaction
  const parts = [
    status === 'refunded' ? `${state}, and refunded` : state,
    nonce === null ? null : `nonce ${nonce}`,
    holdReason === null ? null : `waits: ${holdReason.replaceAll('_', ' ')}`,
    txHash,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
