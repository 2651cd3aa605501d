// Following: orders are looked up in batches, and what the supplier says moves items forward.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import type { OnCase, Status } from '#trades'
import { queryOf, stepsFor, type WorkItem } from './item.ts'
import type { Market, OrderUpdate } from './ports.ts'
import { applyStep, transactionOf } from './step.ts'
import { markContested } from './store/contested.ts'
import { expediteHolds } from './store/holds.ts'
import {
  claimFollowed,
  type FollowedItem,
  type OrderRecord,
  recordOrder,
  reschedule,
} from './store/orders.ts'
import { reportIfUnmatched } from './unmatched-purchase.ts'

export interface FollowingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: Market
  readonly holdMs: number
  readonly leaseMs: number
  /** An item in its hold window is looked at this often, and once more when the window ends. */
  readonly holdPollMs: number
  readonly onCase: OnCase
  /** A delivery was taken back, and its item is booked so. */
  onReversal?(by: 'supplier' | 'user'): void
}

/** Does one round; true when there may be more to do at once. */
export function createFollowing(deps: FollowingDeps): () => Promise<boolean> {
  return async () => {
    const { db, clock, market } = deps
    const at = clock.now()
    const claimed = await claimFollowed(db, {
      market: market.id,
      account: market.account,
      limit: market.traits.lookUpBatch,
      at,
      leaseUntil: new Date(at.getTime() + deps.leaseMs),
      alongMs: market.traits.offerPollMs,
    })
    if (claimed.length === 0) return false
    const askedAt = clock.now()
    const answer = await market.lookUp(claimed.map(queryOf), {
      requestId: assertDefined(claimed[0], 'claimed').item.requestId,
    })
    if (answer.kind === 'unavailable') {
      const now = clock.now()
      const dueAt = later(now, Math.max(answer.retryAfterMs, market.traits.pollMs))
      const waiting = claimed.map(({ item }) => ({ id: item.id, dueAt }))
      await reschedule(db, waiting, now)
      return false
    }
    const looks = await Promise.allSettled(
      claimed.map((followed) => {
        const update = answer.orders.get(followed.order.customId)
        if (update === undefined) return nextPoll(deps, followed.item)
        return update === 'absent'
          ? handleNotFound(deps, followed, askedAt)
          : handleUpdate(deps, followed, { update, askedAt })
      }),
    )
    // Most looks change nothing: all of a batch are written as one. A step has set its next look itself.
    const due = looks.flatMap((look) => (look.status === 'fulfilled' ? (look.value ?? []) : []))
    await reschedule(db, due, clock.now())
    const failed = looks.find((look) => look.status === 'rejected')
    if (failed) throw failed.reason
    return claimed.length === market.traits.lookUpBatch
  }
}

/** When an item is looked at next. */
interface NextLook {
  readonly id: string
  readonly dueAt: Date
}

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds)

/**
 * Null when a step has set the next look. Only what was asked for after the end of the hold completes an
 * item: an answer may be as old as its question, and a process may be suspended before it reads the answer.
 */
async function handleUpdate(
  deps: FollowingDeps,
  followed: FollowedItem,
  { update, askedAt }: { readonly update: OrderUpdate; readonly askedAt: Date },
): Promise<NextLook | null> {
  const { db, clock, holdMs } = deps
  const { order } = followed
  const at = clock.now()
  const item = await withContest(deps, followed.item, update)
  const steps = stepsFor(item, update)
  await reportCases(deps, { item, order }, update)
  let holdEndsAt = item.holdEndsAt
  if (holdEndsAt === null && steps.some((step) => step.to === 'hold'))
    holdEndsAt = later(at, holdMs)
  const clean = update.state === 'hold' || update.state === 'completed'
  const standsInHold = item.status === 'hold' || steps.at(-1)?.to === 'hold'
  const holdOver =
    standsInHold && clean && !item.isContested && holdEndsAt !== null && holdEndsAt <= askedAt

  const nextOf = (status: Status): Date =>
    item.isContested && status === 'hold'
      ? later(at, deps.holdPollMs)
      : nextLook(deps, { askedAt, at }, status, holdEndsAt)

  const seen: Seen = {
    state: 'placed',
    orderId: update.orderId,
    paidMills: update.paidMills,
    offerSeen: update.offerId !== null,
    acceptanceSeen: clean || item.isContested,
    review: update.review,
  }
  if (isNew(seen, order) && !(await recordOrder(db, orderOf(followed), seen))) {
    await reportIfUnmatched(deps, { ...orderOf(followed), ...unmatchedDetails(item, update) })
    return null
  }
  for (const step of steps) {
    // One transaction a step, in order, so that each step's event is emitted even when the next one fails.
    const moved = await transactionOf(db, item, (tx) =>
      applyStep(tx, item, step, { at, dueAt: nextOf(step.to), holdMs }),
    )
    // Another worker has moved it: what was seen is looked at again, while it can still be seen.
    if (!moved) return { id: item.id, dueAt: at }
    if (step.to === 'reverted') {
      deps.onReversal?.(step.revertedBy ?? 'supplier')
      await expediteHolds(db, item.tradeId, at)
    }
  }
  if (holdOver) {
    await transactionOf(db, item, (tx) =>
      applyStep(tx, item, { from: 'hold', to: 'completed' }, { at, dueAt: at, holdMs }),
    )
    return null
  }
  if (steps.length > 0) return null
  return { id: item.id, dueAt: nextOf(item.status) }
}

/**
 * Written down before anything else, and for good. The other holds of its account are looked at at once, as
 * after a reversal.
 */
async function withContest(
  { db, clock }: FollowingDeps,
  item: WorkItem,
  { state }: OrderUpdate,
): Promise<WorkItem> {
  if (state !== 'contested' || item.isContested) return item
  const at = clock.now()
  await markContested(db, item.id, at)
  await expediteHolds(db, item.tradeId, at)
  return { ...item, isContested: true }
}

const orderOf = ({ item, order }: FollowedItem) => ({ itemId: item.id, customId: order.customId })

const unmatchedDetails = ({ market }: WorkItem, { orderId, paidMills, state }: OrderUpdate) => ({
  market,
  orderId,
  paidMills,
  seen: state,
})

type Seen = Required<Omit<OrderRecord, 'misses' | 'missedAt' | 'detail'>>

/** What was seen once stays seen, so only more than we know is written down. */
const isNew = (seen: Seen, known: FollowedItem['order']): boolean =>
  known.state !== seen.state ||
  known.misses > 0 ||
  known.orderId !== seen.orderId ||
  (seen.paidMills !== null && known.paidMills !== seen.paidMills) ||
  (seen.offerSeen && !known.offerSeen) ||
  (seen.acceptanceSeen && !known.acceptanceSeen) ||
  (seen.review && !known.review)

/** Reports what an operator must know of this update, whatever becomes of the item. */
async function reportCases(
  { onCase }: FollowingDeps,
  { item, order }: FollowedItem,
  update: OrderUpdate,
): Promise<void> {
  const about = { itemId: item.id, market: item.market, orderId: update.orderId }
  const { state, detail, paidMills } = update
  // A reversal that names its party is booked, and waits for no one.
  if (item.isContested) await onCase('reversal_unclear', { ...about, row: detail }, { state })
  if (update.review && !item.isContested)
    await onCase('unclear_fault', { ...about, state }, { detail })
  if (paidMills === null) return
  const { paidMills: knownMills } = order
  const differs = knownMills !== null && knownMills !== paidMills
  if (!differs && paidMills <= item.sourcingMills) return
  await onCase(
    'price_differs',
    { ...about, ceilingMills: item.sourcingMills, paidMills },
    { toldMills: knownMills },
  )
}

function nextLook(
  { market, holdPollMs }: FollowingDeps,
  { askedAt, at }: { readonly askedAt: Date; readonly at: Date },
  status: Status,
  holdEndsAt: Date | null,
): Date {
  if (status === 'pending') return later(at, market.traits.offerPollMs)
  if (status !== 'hold' || holdEndsAt === null) return later(at, market.traits.pollMs)
  const next = later(at, holdPollMs)
  if (askedAt >= holdEndsAt) return later(at, market.traits.pollMs)
  return next < holdEndsAt ? next : holdEndsAt
}

/** A row that made no sense is no verdict of any kind: the order is looked at again. */
const nextPoll = ({ clock, market }: FollowingDeps, { id }: { readonly id: string }): NextLook => ({
  id,
  dueAt: later(clock.now(), market.traits.pollMs),
})

/**
 * The supplier does not know the order. After a lost answer that is a verdict only when it has been true
 * long enough and often enough; then the item fails, and the order is watched for in case it was real.
 */
async function handleNotFound(
  deps: FollowingDeps,
  { item, order }: FollowedItem,
  askedAt: Date,
): Promise<NextLook | null> {
  const { db, clock, market, holdMs, onCase } = deps
  const { lookUpSettleMs, absentLookUps, pollMs } = market.traits
  const at = clock.now()
  const misses = order.misses + 1
  if (order.state === 'placed') {
    // It was there before: a supplier that forgets is not a supplier that refuses.
    const about = { itemId: item.id, market: item.market, orderId: order.orderId }
    if (misses >= absentLookUps) await onCase('missing', about, { misses })
    await recordOrder(db, orderOf({ item, order }), { state: 'placed', misses, missedAt: at })
    return { id: item.id, dueAt: later(at, pollMs * Math.min(misses, 60)) }
  }
  // From the first miss to this question, not from the call: the call may have been under way for long.
  const missedForMs = askedAt.getTime() - (order.missedSince ?? askedAt).getTime()
  const settled = missedForMs >= lookUpSettleMs && misses >= absentLookUps
  if (!settled) {
    await recordOrder(db, orderOf({ item, order }), { state: 'unknown', misses, missedAt: at })
    return { id: item.id, dueAt: later(at, pollMs) }
  }
  await transactionOf(db, item, async (tx) => {
    if (
      !(await recordOrder(tx, orderOf({ item, order }), { state: 'absent', misses, missedAt: at }))
    )
      return
    const failure = {
      to: 'failed',
      failure: 'PURCHASE_FAILED',
      detail: 'the order was never placed',
    } as const
    await applyStep(tx, item, failure, { at, dueAt: at, holdMs })
  })
  return null
}
