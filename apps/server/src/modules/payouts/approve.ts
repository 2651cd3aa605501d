// The approval callback. An attempt is written before its POST, so that a crash is seen as what it is;
// every POST of a withdrawal has the same webhook-id, because the merchant may have received one that we
// do not remember.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { ApprovalCallback, CallbackAnswer, CallbackPost } from './ports.ts'
import { letGo, type PayoutLimits } from './release.ts'
import { refund } from './settle.ts'
import { claimApprovals, endAttempt, markApproved, tryLater } from './store/approvals.ts'
import { readMerchantSettings } from './store/merchants.ts'
import { lockWithdrawal } from './store/withdrawals.ts'
import { CALLBACK_DEADLINE_MS, CALLBACK_RETRY_MS, type Withdrawal } from './withdrawal.ts'

export interface ApprovingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly callback: ApprovalCallback
  readonly limits: PayoutLimits
  /** A POST ended: for metrics. */
  onAnswer?(answer: CallbackAnswer, durationMs: number): void
}

const AT_ONCE = 16
/** Outlives the POST and the commit of its answer. */
const LEASE_MS = CALLBACK_DEADLINE_MS + 15_000
const DEFERRED_MS = 5_000

/** Asks for the withdrawals that are due once; true when more may be due at once. */
export function createApproving(deps: ApprovingDeps): () => Promise<boolean> {
  return async () => {
    const at = deps.clock.now()
    const leaseUntil = new Date(at.getTime() + LEASE_MS)
    const claimed = await deps.db.transaction((tx) =>
      claimApprovals(tx, { at, leaseUntil, limit: AT_ONCE }),
    )
    const ended = await Promise.allSettled(claimed.map((one) => ask(deps, one)))
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return claimed.length === AT_ONCE
  }
}

async function ask(deps: ApprovingDeps, withdrawal: Withdrawal): Promise<void> {
  const begun = performance.now()
  const settings = await readMerchantSettings(deps.db, withdrawal.ownerId)
  const posted = await deps.callback.post(withdrawal, {
    settings,
    deadlineMs: CALLBACK_DEADLINE_MS,
  })
  deps.onAnswer?.(posted.answer, performance.now() - begun)
  await record(deps, withdrawal, posted)
}

type Verdict = 'approved' | 'rejected' | 'failed' | 'deferred'

/** A redirect and everything else that is neither 2xx nor 4xx is a failure. */
export function verdictOf(answer: CallbackAnswer): Verdict {
  if (answer.kind === 'deferred') return 'deferred'
  if (answer.kind !== 'answered') return 'failed'
  if (answer.status >= 200 && answer.status <= 299) return 'approved'
  return answer.status >= 400 && answer.status <= 499 ? 'rejected' : 'failed'
}

const describe = (answer: CallbackAnswer): string => {
  if (answer.kind === 'answered') return `answered ${answer.status}`
  return answer.kind === 'timeout' ? 'no answer in time' : `${answer.kind}: ${answer.detail}`
}

/** One commit. The answer to an attempt after which another was begun changes nothing: that one decides. */
const record = (
  { db, clock, limits }: ApprovingDeps,
  { id, callbackAttempts: number }: Withdrawal,
  { answer, sent }: CallbackPost,
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const now = await lockWithdrawal(tx, id)
    const isNew = await endAttempt(tx, id, {
      ...{ number, at, sent, result: describe(answer).slice(0, 300) },
      answer: answer.kind === 'answered' ? answer.body : null,
    })
    if (!isNew || now?.status !== 'pending_callback' || now.callbackAttempts !== number) return
    switch (verdictOf(answer)) {
      case 'approved': {
        await markApproved(tx, id, at)
        return letGo(tx, now, { limits, at })
      }
      case 'rejected':
        return refund(tx, now, { reason: 'approval_rejected', at, hash: null })
      case 'deferred':
        return tryLater(tx, id, { dueAt: new Date(at.getTime() + DEFERRED_MS), failures: 0 })
      case 'failed': {
        const waitMs = CALLBACK_RETRY_MS[now.callbackFailures]
        if (waitMs === undefined) {
          return refund(tx, now, { reason: 'approval_failed', at, hash: null })
        }
        return tryLater(tx, id, { dueAt: new Date(at.getTime() + waitMs), failures: 1 })
      }
    }
  })
