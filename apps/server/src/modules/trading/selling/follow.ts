// Following: offers are looked at until the user has decided, exchanges until their hold is over.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { allEnded } from '#kernel/all-ended'
import type { OnCase } from '#trades'
import { type End, type Ending, endOf, judge, readReceipt, type WorkOffer } from './offer.ts'
import { guardOf } from './offer-guard.ts'
import type { Bots, ExchangeSnapshot, OfferSnapshot } from './ports.ts'
import { stepOffer } from './step.ts'
import {
  claimOffers,
  claimWatched,
  expediteReceivedHolds,
  insertStock,
  recordOffer,
} from './store/offers.ts'
import { aboutOf, endUnmatchedOffer } from './unmatched-offer.ts'

export interface SellFollowingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly bots: Bots
  readonly holdMs: number
  readonly leaseMs: number
  readonly pollMs: number
  /** An exchange in its hold window is looked at this often, and once more when the window ends. */
  readonly holdPollMs: number
  /** After an unknown answer: an offer that scans have not shown for so long was never sent. */
  readonly settleMs: number
  /** For so long an offer given up as never sent is looked for: a day. */
  readonly watchMs: number
  /** A contradiction that an operator must look at; reported before it is recorded. */
  readonly onCase: OnCase
  /** A user took back what a bot had received, and its items are booked so. */
  onReversal?(by: 'user'): void
  /**
   * A reversal takes back everything that the user was given in its window: makes the open holds of what was
   * bought for the same platform account due.
   */
  expediteBuyHolds(db: Db, tradeId: string, at: Date): Promise<void>
}

const LIMIT = 100
/** ... and this many clean scans in a row must not have found it. */
const SETTLE_MISSES = 2
/** What only an operator can resolve is looked at again this seldom. */
const CASE_PAUSE_MS = 60_000

/** Does one round for the bots that can be asked; true when there may be more to do at once. */
export function createSellFollowing(deps: SellFollowingDeps): () => Promise<boolean> {
  return async () => {
    const { db, clock, bots, leaseMs } = deps
    const botIds = await onlineBots(bots)
    if (botIds.length === 0) return false
    const at = clock.now()
    const claimed = await claimOffers(db, {
      botIds,
      at,
      limit: LIMIT,
      leaseUntil: later(at, leaseMs),
    })
    await allEnded(
      [...Map.groupBy(claimed, (offer) => offer.botId)].map(([botId, offers]) =>
        followBot(deps, botId, offers),
      ),
    )
    return claimed.length === LIMIT
  }
}

const onlineBots = async (bots: Bots): Promise<string[]> =>
  (await bots.list({ requestId: 'bots' })).filter((bot) => bot.online).map((bot) => bot.id)

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds)

async function followBot(
  deps: SellFollowingDeps,
  botId: string,
  offers: readonly WorkOffer[],
): Promise<void> {
  const out = offers.filter((offer) => offer.state === 'out')
  await pollSentOffers(deps, botId, out)
  for (const offer of offers) {
    if (offer.state === 'taken') await checkHold(deps, offer)
    else if (offer.state !== 'out') await findUnknown(deps, offer)
  }
}

async function pollSentOffers(
  deps: SellFollowingDeps,
  botId: string,
  offers: readonly WorkOffer[],
): Promise<void> {
  const [first] = offers
  if (!first) return
  const ids = offers.flatMap(({ offerId }) => (offerId === null ? [] : [offerId]))
  const outcome = await deps.bots.lookUp(botId, ids, first)
  if (outcome.kind !== 'ok') {
    const pauseMs = outcome.kind === 'unavailable' ? outcome.retryAfterMs : 0
    for (const offer of offers) await pollAgain(deps, offer, Math.max(pauseMs, deps.pollMs))
    return
  }
  for (const offer of offers) {
    const seen = outcome.value.get(offer.offerId ?? '')
    // An offer that was not read this time says nothing.
    if (seen) await handleUpdate(deps, offer, seen)
    else await pollAgain(deps, offer)
  }
}

/** `pauseMs` from now, as it is. */
async function pollAgain(
  { db, clock, pollMs }: SellFollowingDeps,
  offer: WorkOffer,
  pauseMs = pollMs,
): Promise<void> {
  const dueAt = later(clock.now(), pauseMs)
  await recordOffer(db, offer.offerIntentId, { state: offer.state, dueAt })
}

async function handleUpdate(
  deps: SellFollowingDeps,
  offer: WorkOffer,
  seen: OfferSnapshot,
): Promise<void> {
  const verdict = judge(offer, seen, deps.clock.now())
  switch (verdict.kind) {
    case 'wait':
      if (seen.state === 'needs_confirmation') await confirm(deps, offer)
      return pollAgain(deps, offer)
    case 'cancel':
      return cancel(deps, offer, verdict.ending)
    case 'exchange':
      return checkExchange(deps, offer, verdict.exchangeId)
    case 'end':
      return end(deps, offer, verdict.end)
  }
}

/** The offer is recorded as out, so that it may be let out. The next look shows whether it was. */
async function confirm(deps: SellFollowingDeps, offer: WorkOffer): Promise<void> {
  const { requestId, botId, offerId } = offer
  await deps.bots.confirmOffer(botId, offerId ?? '', { requestId, guard: guardOf(deps, offer) })
}

/** Records the reason before it asks for the cancel: a later look at the offer knows why. */
async function cancel(deps: SellFollowingDeps, offer: WorkOffer, ending: Ending): Promise<void> {
  const { db, bots, pollMs } = deps
  const { offerIntentId, requestId, botId, offerId } = offer
  await recordOffer(db, offerIntentId, { state: 'out', ending })
  const guard = guardOf(deps, offer)
  const outcome = await bots.cancelOffer(botId, offerId ?? '', { requestId, guard })
  if (outcome.kind === 'ok' && outcome.value === 'canceled') {
    await end(deps, offer, endOf(ending))
    return
  }
  // Final already, or unknown: the next look at the offer shows what became of it.
  await pollAgain(deps, { ...offer, ending }, pollMs)
}

async function end(deps: SellFollowingDeps, offer: WorkOffer, how: End): Promise<void> {
  const { db, clock } = deps
  const at = clock.now()
  await db.transaction(async (tx) => {
    await stepOffer(tx, offer, { from: 'active', ...how, at })
    await recordOffer(tx, offer.offerIntentId, { state: 'ended' })
  })
}

async function checkExchange(
  deps: SellFollowingDeps,
  offer: WorkOffer,
  exchangeId: string,
): Promise<void> {
  const outcome = await deps.bots.readExchange(offer.botId, exchangeId, offer)
  if (outcome.kind !== 'ok') return pollAgain(deps, offer)
  const receipt = readReceipt(offer.items, outcome.value)
  switch (receipt.kind) {
    case 'pending':
      return pollAgain(deps, offer)
    case 'different':
      await deps.onCase('sell_differs', detailsOf(offer, outcome.value))
      return pollAgain(deps, offer, CASE_PAUSE_MS)
    case 'failed':
      return end(deps, offer, {
        to: 'failed',
        failure: 'PURCHASE_FAILED',
        detail: 'the exchange failed',
      })
    case 'complete':
    case 'reverted':
      await take(deps, offer, outcome.value)
      if (receipt.kind === 'reverted') await revert(deps, offer)
  }
}

const detailsOf = (
  offer: WorkOffer,
  seen: ExchangeSnapshot,
): Readonly<Record<string, unknown>> => ({
  ...aboutOf(offer),
  exchangeId: seen.tradeId,
  expected: offer.items.map((item) => item.assetId),
  received: seen.received.map((asset) => asset.assetId),
})

/** The bot has the items: from here on they are protected stock, and the hold runs. */
async function take(
  { db, clock, holdMs, holdPollMs }: SellFollowingDeps,
  offer: WorkOffer,
  seen: ExchangeSnapshot,
): Promise<void> {
  const at = clock.now()
  const holdEndsAt = latest(later(at, holdMs), seen.settlesAt)
  const received = new Map(seen.received.map((asset) => [asset.assetId, asset]))
  await db.transaction(async (tx) => {
    const moved = await stepOffer(tx, offer, { from: 'active', to: 'hold', at, holdEndsAt })
    if (moved === 0) return
    await insertStock(tx, {
      botId: offer.botId,
      items: offer.items.map((item) => {
        const got = received.get(item.assetId)
        return {
          itemId: item.id,
          assetId: got?.newAssetId ?? item.assetId,
          contextId: got?.newContextId ?? item.contextId,
        }
      }),
      at,
      unlocksAt: holdEndsAt,
    })
    await recordOffer(tx, offer.offerIntentId, {
      state: 'taken',
      exchangeId: seen.tradeId,
      holdEndsAt,
      dueAt: earliest(later(at, holdPollMs), holdEndsAt),
    })
  })
}

const latest = (left: Date, right: Date | null): Date =>
  right !== null && right > left ? right : left
const earliest = (left: Date, right: Date): Date => (left < right ? left : right)

/** A payout needs two things: the window is over, and a read made after that is clean. */
async function checkHold(deps: SellFollowingDeps, offer: WorkOffer): Promise<void> {
  const { db, clock, bots, holdPollMs, pollMs, onCase } = deps
  const askedAt = clock.now()
  const outcome = await bots.readExchange(offer.botId, offer.exchangeId ?? '', offer)
  if (outcome.kind !== 'ok') return pollAgain(deps, offer)
  const receipt = readReceipt(offer.items, outcome.value)
  switch (receipt.kind) {
    case 'complete': {
      const holdEndsAt = offer.holdEndsAt ?? askedAt
      if (askedAt < holdEndsAt) {
        const dueAt = earliest(later(askedAt, holdPollMs), holdEndsAt)
        await recordOffer(db, offer.offerIntentId, { state: 'taken', dueAt })
        return
      }
      const at = clock.now()
      return db.transaction(async (tx) => {
        await stepOffer(tx, offer, { from: 'hold', to: 'completed', at })
        await recordOffer(tx, offer.offerIntentId, { state: 'ended' })
      })
    }
    case 'failed':
      // It was complete before. Whatever the platform calls it, the items went back.
      await onCase('unclear_fault', detailsOf(offer, outcome.value))
      return revert(deps, offer)
    case 'reverted':
      return revert(deps, offer)
    case 'different':
      await onCase('sell_differs', detailsOf(offer, outcome.value))
      return pollAgain(deps, offer, CASE_PAUSE_MS)
    case 'pending':
      return pollAgain(deps, offer, pollMs)
  }
}

async function revert(
  { db, clock, onReversal, expediteBuyHolds }: SellFollowingDeps,
  offer: WorkOffer,
): Promise<void> {
  const at = clock.now()
  await db.transaction(async (tx) => {
    await stepOffer(tx, offer, { from: 'hold', to: 'reverted', at, revertedBy: 'user' })
    await recordOffer(tx, offer.offerIntentId, { state: 'ended' })
  })
  onReversal?.('user')
  await expediteReceivedHolds(db, offer.platformId, at)
  await expediteBuyHolds(db, offer.tradeId, at)
}

/**
 * After a lost answer the bot's sent offers are scanned for the offer intent id. Absence counts only when it
 * has been seen long enough and often enough; then the items fail, and the offer is watched for.
 */
async function findUnknown(deps: SellFollowingDeps, offer: WorkOffer): Promise<void> {
  const { db, clock, pollMs, settleMs } = deps
  const askedAt = clock.now()
  const outcome = await scan(deps, offer)
  const at = clock.now()
  if (outcome.kind !== 'ok') {
    const pauseMs = outcome.kind === 'unavailable' ? outcome.retryAfterMs : 0
    await recordOffer(db, offer.offerIntentId, {
      state: 'unknown',
      misses: offer.misses,
      dueAt: later(at, Math.max(pauseMs, pollMs)),
    })
    return
  }
  if (outcome.value !== null) return recoverOffer(deps, offer, outcome.value)
  const misses = offer.misses + 1
  // From the first miss to this question, not from the call: the call may have been under way for long.
  const missedForMs = askedAt.getTime() - (offer.missedSince ?? askedAt).getTime()
  if (misses < SETTLE_MISSES || missedForMs < settleMs) {
    await recordOffer(db, offer.offerIntentId, {
      state: 'unknown',
      misses,
      missedAt: at,
      dueAt: later(at, pollMs),
    })
    return
  }
  await db.transaction(async (tx) => {
    const absent = { state: 'absent', misses, missedAt: at } as const
    if (!(await recordOffer(tx, offer.offerIntentId, absent))) return
    await stepOffer(tx, offer, {
      from: 'pending',
      to: 'failed',
      at,
      failure: 'PURCHASE_FAILED',
      detail: 'the offer was never sent',
    })
  })
}

const scan = ({ bots }: SellFollowingDeps, offer: WorkOffer) =>
  bots.findOffer(
    {
      offerIntentId: offer.offerIntentId,
      botId: offer.botId,
      take: offer.items.map(({ assetId, contextId }) => ({ assetId, contextId })),
      since: offer.sentAt,
    },
    offer,
  )

/** The offer whose answer was lost is out after all, and goes on from there. */
async function recoverOffer(
  deps: SellFollowingDeps,
  offer: WorkOffer,
  seen: OfferSnapshot,
): Promise<void> {
  const { db, clock } = deps
  const at = clock.now()
  const dueAt = later(at, deps.leaseMs)
  const { offerId } = seen
  const isRecorded = await db.transaction(async (tx) => {
    const out = { state: 'out', offerId, dueAt } as const
    if (!(await recordOffer(tx, offer.offerIntentId, out))) return false
    await stepOffer(tx, offer, { from: 'pending', to: 'active', at, offerId })
    return true
  })
  if (!isRecorded) {
    await endUnmatchedOffer(deps, offer, seen)
    return
  }
  await handleUpdate(deps, { ...offer, state: 'out', offerId, dueAt }, seen)
}

/**
 * Looks for offers whose items were failed as never sent. One that is found is canceled before the user can
 * accept it; one that was accepted has brought us items for which no seller is paid.
 */
export function createLostOfferWatch(deps: SellFollowingDeps): () => Promise<boolean> {
  return async () => {
    const { db, clock, bots, watchMs } = deps
    const botIds = await onlineBots(bots)
    if (botIds.length === 0) return false
    const at = clock.now()
    const sentAfter = later(at, -watchMs)
    for (const offer of await claimWatched(db, { botIds, sentAfter, limit: LIMIT, at })) {
      const outcome = await scan(deps, offer)
      if (outcome.kind !== 'ok' || outcome.value === null) continue
      await endUnmatchedOffer(deps, offer, outcome.value)
    }
    return false
  }
}
