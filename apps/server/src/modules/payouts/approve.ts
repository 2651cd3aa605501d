// The approval callback. An attempt is written before its POST, so that a crash is seen as what it is;
// every POST of a withdrawal has the same webhook-id, because the merchant may have received one that we
// do not remember.
import { batched, gathered } from '#infra/batch'
import type { Clock } from '#infra/clock'
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '#infra/concurrency-limiter'
import type { Db, Tx } from '#infra/db'
import type { ApprovalCallback, CallbackAnswer, CallbackPost } from './ports.ts'
import { findLimits, letGo, type PayoutLimits } from './release.ts'
import { refund } from './settle.ts'
import {
  claimApprovals,
  type EndedAttempt,
  endAttempts,
  markApproved,
  tryLater,
} from './store/approvals.ts'
import { type MerchantSettings, readMerchantSettings } from './store/merchants.ts'
import { lockWithdrawals } from './store/withdrawals.ts'
import { CALLBACK_DEADLINE_MS, CALLBACK_RETRY_MS, type Withdrawal } from './withdrawal.ts'

export interface ApprovingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly callback: ApprovalCallback
  readonly limits: PayoutLimits
  /** A POST ended: for metrics. */
  onAnswer?(answer: CallbackAnswer, durationMs: number): void
}

/** POSTs under way at once, and to one merchant: one that is silent holds up few of the others. */
const IN_FLIGHT = 256
const PER_MERCHANT = 32
/** A merchant with less than half of its POSTs under way has room for all of a claim. */
const CLAIM = PER_MERCHANT / 2
/** While POSTs are under way, what is due is looked for at least so often. */
const REFILL_MS = 50
/** A run ends after so long, although more may be due: its end says that the job is well. */
const RUN_MS = 300_000
/** Outlives the POST and the commit of its answer. */
const LEASE_MS = CALLBACK_DEADLINE_MS + 15_000
const DEFERRED_MS = 5_000

/**
 * Asks for the withdrawals that are due until none is and every answer is recorded, or the signal says stop;
 * then what is under way is brought to its end. A merchant that takes its time delays its own alone. Answers
 * that come together are recorded together: each approval holds the lock of the limits.
 */
export function createApproving(deps: ApprovingDeps): (signal: AbortSignal) => Promise<boolean> {
  const readSettings = batched((ids: readonly string[]) => readMerchantSettings(deps.db, ids))
  const recordOne = gathered({
    keyOf: () => '',
    write: (answers: readonly Answered[]) => record(deps, answers),
  })
  return async (signal) => {
    const limiter = createConcurrencyLimiter({ total: IN_FLIGHT, perKey: PER_MERCHANT })
    const ask = async (withdrawal: Withdrawal): Promise<void> => {
      const settings = await readSettings(withdrawal.ownerId)
      const posted = await post(deps, withdrawal, settings)
      await recordOne({ withdrawal, ...posted })
      limiter.wake()
    }
    try {
      const begun = performance.now()
      while (!signal.aborted && performance.now() - begun < RUN_MS) {
        const wasQuiet = limiter.running() === 0
        const due = await claim(deps, limiter)
        for (const one of due) limiter.add(one.ownerId, ask(one))
        if (due.length === 0 && wasQuiet) return false
        if (due.length < CLAIM) await limiter.waitForCapacity(REFILL_MS)
      }
    } finally {
      await limiter.allEnded()
    }
    return !signal.aborted
  }
}

function claim({ db, clock }: ApprovingDeps, limiter: ConcurrencyLimiter): Promise<Withdrawal[]> {
  const limit = Math.min(limiter.free(), CLAIM)
  if (limit === 0) return Promise.resolve([])
  const at = clock.now()
  const leaseUntil = new Date(at.getTime() + LEASE_MS)
  return claimApprovals(db, { at, leaseUntil, limit, busyOwners: limiter.busyKeys() })
}

async function post(
  deps: ApprovingDeps,
  withdrawal: Withdrawal,
  settings: MerchantSettings,
): Promise<CallbackPost> {
  const begun = performance.now()
  const posted = await deps.callback.post(withdrawal, {
    settings,
    deadlineMs: CALLBACK_DEADLINE_MS,
  })
  deps.onAnswer?.(posted.answer, performance.now() - begun)
  return posted
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

interface Answered extends CallbackPost {
  /** As it was claimed. */
  readonly withdrawal: Withdrawal
}

/** Names one POST of a withdrawal: its newest. */
const attemptOf = ({ id, callbackAttempts }: Withdrawal): string => `${id}:${callbackAttempts}`

const endOf = ({ withdrawal, answer, sent }: Answered): EndedAttempt => ({
  id: withdrawal.id,
  number: withdrawal.callbackAttempts,
  result: describe(answer).slice(0, 300),
  sent,
  answer: answer.kind === 'answered' ? answer.body : null,
})

/** One commit. The answer to an attempt after which another was begun changes nothing: that one decides. */
const record = (
  { db, clock, limits }: ApprovingDeps,
  answers: readonly Answered[],
): Promise<null[]> =>
  db.transaction(async (tx) => {
    const at = clock.now()
    const locked = await lockWithdrawals(
      tx,
      answers.map(({ withdrawal }) => withdrawal.id),
    )
    const ended = await endAttempts(tx, answers.map(endOf), at)
    const byAttempt = new Map(answers.map((one) => [attemptOf(one.withdrawal), one]))
    const approved: Withdrawal[] = []
    for (const now of locked) {
      const answered = byAttempt.get(attemptOf(now))
      if (answered === undefined || !ended.has(attemptOf(now))) continue
      if (now.status !== 'pending_callback') continue
      const verdict = verdictOf(answered.answer)
      if (verdict === 'approved') approved.push(now)
      else await recordOther(tx, now, { verdict, at })
    }
    await approve(tx, approved, { limits, at })
    return answers.map(() => null)
  })

async function approve(
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  { limits, at }: { readonly limits: PayoutLimits; readonly at: Date },
): Promise<void> {
  if (withdrawals.length === 0) return
  const reasons = await findLimits(tx, withdrawals, { limits, at })
  const approved = withdrawals.map((one, i) => ({ ...one, heldReason: reasons[i] ?? null }))
  await markApproved(tx, approved, at)
  await letGo(tx, approved, at)
}

async function recordOther(
  tx: Tx,
  withdrawal: Withdrawal,
  { verdict, at }: { readonly verdict: Exclude<Verdict, 'approved'>; readonly at: Date },
): Promise<void> {
  const { id, callbackFailures } = withdrawal
  const later = (ms: number): Date => new Date(at.getTime() + ms)
  switch (verdict) {
    case 'rejected':
      return refund(tx, withdrawal, { reason: 'approval_rejected', at, hash: null })
    case 'deferred':
      return tryLater(tx, id, { dueAt: later(DEFERRED_MS), failures: 0 })
    case 'failed': {
      const waitMs = CALLBACK_RETRY_MS[callbackFailures]
      return waitMs === undefined
        ? refund(tx, withdrawal, { reason: 'approval_failed', at, hash: null })
        : tryLater(tx, id, { dueAt: later(waitMs), failures: 1 })
    }
  }
}
