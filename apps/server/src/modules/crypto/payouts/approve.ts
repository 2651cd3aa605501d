// The approval callback. An attempt is written before its POST, so that a crash is seen as what it is;
// every POST of a withdrawal has the same webhook-id, because the merchant may have received one that we
// do not remember.

import { findSuspended } from '#identity'
import { gathered } from '#infra/database/batch'
import type { Db, Tx } from '#infra/database/db'
import { createClaimLoop } from '#infra/jobs/claim-loop'
import type { Capacity, PermitBounds } from '#infra/jobs/permits'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
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
import {
  findUnlisted,
  lockAllMerchantSettings,
  type MerchantSettings,
  markProven,
  readMerchantSettings,
} from './store/merchants.ts'
import { lockWithdrawals } from './store/withdrawals.ts'
import {
  CALLBACK_DEADLINE_MS,
  CALLBACK_RETRY_MS,
  type HeldReason,
  type Withdrawal,
} from './withdrawal.ts'

export interface ApprovingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly callback: ApprovalCallback
  readonly limits: PayoutLimits
  /** Whether merchants may be asked now: not while a restore has not been compared. */
  mayPay(): Promise<boolean>
  /** A POST ended: for metrics. */
  onAnswer?(answer: CallbackAnswer, durationMs: number): void
}

/**
 * Keys and owners are merchants, each of which has five POSTs under way over all processes
 * (`claim_approvals`): no more is claimed for one that holds five. Slow ones and unproven ones together
 * leave half of the permits to the others, however many they are.
 */
const BOUNDS: PermitBounds = {
  total: 256,
  perKey: 10,
  perOwner: 10,
  perUnhealthyKey: 4,
  unhealthy: 64,
  reserved: 64,
  perClaim: 16,
}
const REFILL_MS = 50
/** Outlives the POST and the commit of its answer. */
const LEASE_MS = CALLBACK_DEADLINE_MS + 15_000
const DEFERRED_MS = 5_000
/** From this age of a withdrawal on a cause on our side counts as a failure, as for webhooks. */
const DEFERRED_AT_MOST_MS = 3_600_000

/**
 * Asks for the withdrawals that are due. Answers that come together are recorded together: each approval
 * holds the lock of the limits.
 */
export const createApproving = (deps: ApprovingDeps): ((signal: AbortSignal) => Promise<boolean>) =>
  createClaimLoop({
    bounds: BOUNDS,
    refillMs: REFILL_MS,
    claim: (capacity) => claim(deps, capacity),
    destinationOf: ({ withdrawal: { ownerId }, settings: { isProven } }) => ({
      ...{ key: ownerId, owner: ownerId, isUnproven: !isProven },
    }),
    post: (due) => post(deps, due),
    outcomeOf: ({ answer }) => (answer.kind === 'timeout' ? 'failed' : answer.kind),
    record: gathered({
      keyOf: () => '',
      write: (answers: readonly Answered[]) => record(deps, answers),
    }),
  })

interface Due {
  /** As it was claimed. */
  readonly withdrawal: Withdrawal
  readonly settings: MerchantSettings
}

async function claim({ db, clock, mayPay }: ApprovingDeps, capacity: Capacity): Promise<Due[]> {
  if (!(await mayPay())) return []
  const at = clock.now()
  const leaseUntil = new Date(at.getTime() + LEASE_MS)
  const claimed = await claimApprovals(db, { at, leaseUntil, capacity })
  if (claimed.length === 0) return []
  const settings = await readMerchantSettings(
    db,
    claimed.map(({ ownerId }) => ownerId),
  )
  return claimed.map((withdrawal, i) => ({
    withdrawal,
    settings: assertDefined(settings[i], 'settings of a merchant'),
  }))
}

interface Answered extends CallbackPost, Due {}

/**
 * It needs no guard of its lease: every POST of a withdrawal has one webhook-id, and the answer to a late one
 * changes nothing (`record`).
 */
async function post(deps: ApprovingDeps, { withdrawal, settings }: Due): Promise<Answered> {
  const begun = performance.now()
  const posted = await deps.callback.post(withdrawal, {
    settings,
    deadlineMs: CALLBACK_DEADLINE_MS,
  })
  deps.onAnswer?.(posted.answer, performance.now() - begun)
  return { withdrawal, settings, ...posted }
}

type Verdict = 'approved' | 'rejected' | 'failed' | 'deferred'

/** A redirect and everything else that is neither 2xx nor 4xx is a failure. */
function verdictOf(answer: CallbackAnswer): Verdict {
  if (answer.kind === 'deferred') return 'deferred'
  if (answer.kind !== 'answered') return 'failed'
  if (answer.status >= 200 && answer.status <= 299) return 'approved'
  return answer.status >= 400 && answer.status <= 499 ? 'rejected' : 'failed'
}

const describe = (answer: CallbackAnswer): string => {
  if (answer.kind === 'answered') return `answered ${answer.status}`
  return answer.kind === 'timeout' ? 'no answer in time' : `${answer.kind}: ${answer.detail}`
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

/**
 * One commit. The answer to an attempt after which another was begun changes nothing: that one decides. Nor
 * does the answer of a URL that is not the merchant's callback any more, unless it refuses: the callback of
 * now is asked at once. A refusal stands, because it was the merchant's word when it was asked for, and
 * because no money leaves by it.
 */
const record = (
  { db, clock, limits, callback }: ApprovingDeps,
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
    const replaced = await findReplaced(tx, callback, { answers, at })
    await markProven(
      tx,
      answers
        .filter((one) => isProof(one) && !replaced.has(one))
        .map(({ withdrawal }) => withdrawal.ownerId),
      at,
    )
    const approved: Withdrawal[] = []
    for (const now of locked) {
      const answered = byAttempt.get(attemptOf(now))
      if (answered === undefined || !ended.has(attemptOf(now))) continue
      if (now.status !== 'pending_callback') continue
      const verdict = verdictOf(answered.answer)
      if (replaced.has(answered) && verdict !== 'rejected') {
        await tryLater(tx, now.id, { dueAt: at, failures: 0 })
      } else if (verdict === 'approved') approved.push(now)
      else await recordOther(tx, now, { verdict, at })
    }
    await approve(tx, approved, { limits, at })
    return answers.map(() => null)
  })

/** Those from elsewhere than where the merchant would be asked now; no URL changes until the commit. */
async function findReplaced(
  tx: Tx,
  callback: ApprovalCallback,
  { answers, at }: { readonly answers: readonly Answered[]; readonly at: Date },
): Promise<Set<Answered>> {
  const owners = answers.map(({ withdrawal }) => withdrawal.ownerId)
  const urls = new Map<string, string | null>()
  for (const [ownerId, settings] of await lockAllMerchantSettings(tx, owners, at)) {
    urls.set(ownerId, await callback.findUrl(tx, ownerId, settings))
  }
  return new Set(
    answers.filter(({ withdrawal, url }) => url !== (urls.get(withdrawal.ownerId) ?? null)),
  )
}

/** The first answer of a merchant that says yes or no. */
const isProof = ({ answer, settings }: Answered): boolean =>
  !settings.isProven && ['approved', 'rejected'].includes(verdictOf(answer))

async function approve(
  tx: Tx,
  withdrawals: readonly Withdrawal[],
  { limits, at }: { readonly limits: PayoutLimits; readonly at: Date },
): Promise<void> {
  if (withdrawals.length === 0) return
  const owners = withdrawals.flatMap(({ ownerId, tenantId }) => [ownerId, tenantId])
  const suspended = await findSuspended(tx, owners)
  const unlisted = await findUnlisted(tx, withdrawals, at)
  const hindranceOf = (one: Withdrawal): HeldReason | null => {
    if (suspended.has(one.ownerId) || suspended.has(one.tenantId)) return 'account_suspended'
    return unlisted.has(one.id) ? 'destination_not_listed' : null
  }
  const looked = withdrawals.map((one) => ({ ...one, heldReason: hindranceOf(one) }))
  const free = looked.filter(({ heldReason }) => heldReason === null)
  const reasons = await findLimits(tx, free, { limits, at })
  const approved = [
    ...free.map((one, i) => ({ ...one, heldReason: reasons[i] ?? null })),
    ...looked.filter(({ heldReason }) => heldReason !== null),
  ]
  await markApproved(tx, approved, at)
  await letGo(tx, approved, at)
}

async function recordOther(
  tx: Tx,
  withdrawal: Withdrawal,
  { verdict, at }: { readonly verdict: Exclude<Verdict, 'approved'>; readonly at: Date },
): Promise<void> {
  const { id, callbackFailures, createdAt } = withdrawal
  const later = (ms: number): Date => new Date(at.getTime() + ms)
  switch (verdict) {
    case 'rejected':
      return refund(tx, withdrawal, { reason: 'approval_rejected', at, hash: null })
    case 'deferred':
      if (at.getTime() - createdAt.getTime() < DEFERRED_AT_MOST_MS) {
        return tryLater(tx, id, { dueAt: later(DEFERRED_MS), failures: 0 })
      }
      return recordOther(tx, withdrawal, { verdict: 'failed', at })
    case 'failed': {
      const waitMs = CALLBACK_RETRY_MS[callbackFailures]
      return waitMs === undefined
        ? refund(tx, withdrawal, { reason: 'approval_failed', at, hash: null })
        : tryLater(tx, id, { dueAt: later(waitMs), failures: 1 })
    }
  }
}
