// Placing: the intent is committed first, then the supplier is called, then the answer is recorded.
import type { Clock } from '#infra/clock'
import { createConcurrencyLimiter } from '#infra/concurrency-limiter'
import { type Db, sqlState } from '#infra/db'
import type { WorkItem } from './item.ts'
import type { FailureCode, Market, PurchaseAnswer } from './ports.ts'
import { applyStep } from './step.ts'
import {
  claimPlacements,
  listOverdue,
  type PlaceableItem,
  postponePlacement,
  recordOrder,
  reschedule,
} from './store/orders.ts'
import { replaceListing } from './store/quick-buys.ts'

export interface PlacingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: Market
  /** Whether the operator and the market's health allow purchases there now. */
  isMarketAvailable(): Promise<boolean>
  readonly holdMs: number
  /** A claim that is not answered by then is taken to be lost, and the supplier is asked. */
  readonly leaseMs: number
  /** An item that nobody could place for so long fails with MARKET_UNAVAILABLE: 15 minutes. */
  readonly giveUpMs: number
  /**
   * Why an item must not be bought at what it asks: a price that cannot be meant. Such an item fails as
   * unavailable and is refunded, and its listing is not sold again. Null when nothing speaks against it.
   */
  doubtPrice?(item: WorkItem): Promise<string | null>
  /** Purchases under way at once in this process. */
  readonly concurrency: number
  onAnswer?(item: WorkItem, answer: PurchaseAnswer): void
}

/** How long answers are gathered before the free places are filled again. */
const REFILL_MS = 50

/**
 * Works until nothing is due and nothing is under way, or the signal says stop; then what is under way is
 * brought to its end. One slow purchase keeps one place and nobody else waiting.
 */
export function createPlacing(deps: PlacingDeps): (signal: AbortSignal) => Promise<boolean> {
  const { market, concurrency } = deps
  return async (signal) => {
    const limiter = createConcurrencyLimiter({ total: concurrency, perKey: concurrency })
    try {
      while (!signal.aborted) {
        await failOverdue(deps)
        const claimed = limiter.free() > 0 ? await claim(deps, limiter.free()) : []
        for (const item of claimed) limiter.add(market.id, placeOne(deps, item))
        if (limiter.running() === 0) return false
        await limiter.waitForCapacity(REFILL_MS)
      }
    } finally {
      await limiter.allEnded()
    }
    return false
  }
}

async function claim(deps: PlacingDeps, limit: number): Promise<PlaceableItem[]> {
  if (!(await deps.isMarketAvailable())) return []
  const at = deps.clock.now()
  return claimPlacements(deps.db, {
    market: deps.market.id,
    limit,
    at,
    leaseUntil: new Date(at.getTime() + deps.leaseMs),
    placeableSince: new Date(at.getTime() - deps.giveUpMs),
  })
}

async function placeOne(deps: PlacingDeps, item: PlaceableItem): Promise<void> {
  const doubt = (await deps.doubtPrice?.(item)) ?? null
  const answer: PurchaseAnswer =
    doubt === null
      ? await callMarket(deps, item)
      : { kind: 'refused', code: 'LISTING_UNAVAILABLE', detail: doubt }
  deps.onAnswer?.(item, answer)
  await record(deps, item, answer)
}

function callMarket({ market }: PlacingDeps, item: PlaceableItem): Promise<PurchaseAnswer> {
  const url = new URL(item.tradeUrl)
  return market.place(
    {
      customId: item.customId,
      rawListingId: item.rawListingId,
      marketHashName: item.marketHashName,
      ceilingMills: item.sourcingMills,
      partner: Number(url.searchParams.get('partner')),
      token: url.searchParams.get('token') ?? '',
    },
    { requestId: item.requestId },
  )
}

async function record(deps: PlacingDeps, item: WorkItem, answer: PurchaseAnswer): Promise<void> {
  const { db, clock, market, holdMs } = deps
  const at = clock.now()
  const soon = new Date(at.getTime() + market.traits.pollMs)
  switch (answer.kind) {
    case 'accepted':
      await db.transaction(async (tx) => {
        await recordOrder(tx, item.id, {
          state: 'placed',
          orderId: answer.orderId,
          paidMills: answer.paidMills,
        })
        await applyStep(tx, item, { to: 'pending' }, { at, dueAt: soon, holdMs })
      })
      return
    case 'refused':
      return recordRefusal(deps, item, answer)
    case 'unknown':
      // The item is in the hands of the followers now, who ask the supplier until they are sure.
      await recordOrder(db, item.id, { state: 'unknown', detail: answer.detail })
      await reschedule(db, [{ id: item.id, dueAt: soon }], at)
      return
    case 'not-sent':
      await postponePlacement(db, item.id, {
        detail: answer.detail,
        dueAt: new Date(at.getTime() + answer.retryAfterMs),
      })
  }
}

/** Refused for what the listing is, not for who buys it: another listing may do. */
const OF_THE_LISTING: readonly FailureCode[] = [
  'LISTING_UNAVAILABLE',
  'PRICE_CHANGED',
  'NO_LISTING_AT_PRICE',
]
const REPLACE_ATTEMPTS = 4

/**
 * A quick-buy takes the next cheapest listing in its place; everything else ends here. Both are one commit
 * with the order's refusal: a worker that dies before it leaves an order to be looked up, and nothing is
 * replaced that might have been bought.
 */
async function recordRefusal(
  { db, clock, holdMs }: PlacingDeps,
  item: WorkItem,
  { code, detail }: Extract<PurchaseAnswer, { kind: 'refused' }>,
): Promise<void> {
  const at = clock.now()
  const settle = (isLastTry: boolean): Promise<void> =>
    db.transaction(async (tx) => {
      const replaced = OF_THE_LISTING.includes(code)
        ? await replaceListing(tx, item.id, { failure: code, detail }, { at, isLastTry })
        : 'other'
      if (replaced === 'replaced') return
      await recordOrder(tx, item.id, { state: 'refused', detail })
      const failure = replaced === 'none' ? 'NO_LISTING_AT_PRICE' : code
      await applyStep(tx, item, { to: 'failed', failure, detail }, { at, dueAt: at, holdMs })
    })
  for (let attempt = 1; ; attempt++) {
    const isLastTry = attempt === REPLACE_ATTEMPTS
    try {
      return await settle(isLastTry)
    } catch (error) {
      if (isLastTry || sqlState(error) !== 'PT423') throw error
    }
  }
}

async function failOverdue({ db, clock, market, holdMs, giveUpMs }: PlacingDeps): Promise<void> {
  const at = clock.now()
  const overdue = await listOverdue(db, {
    market: market.id,
    createdBefore: new Date(at.getTime() - giveUpMs),
    limit: 100,
  })
  for (const item of overdue) {
    await db.transaction((tx) =>
      applyStep(
        tx,
        item,
        { to: 'failed', failure: 'MARKET_UNAVAILABLE', detail: 'not placed in time' },
        { at, dueAt: at, holdMs },
      ),
    )
  }
}
