// Placing: the intent is committed first, then the supplier is called, then the answer is recorded.
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Market, PurchaseAnswer } from './ports.ts'
import { applyStep } from './step.ts'
import {
  claimPlacements,
  listOverdue,
  postponePlacement,
  recordOrder,
  reschedule,
} from './store/orders.ts'
import type { WorkItem } from './trade.ts'

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
  /** Purchases under way at once in this process. */
  readonly concurrency: number
  onAnswer?(item: WorkItem, answer: PurchaseAnswer): void
}

/** Does one round; true when there may be more to do at once. */
export function createPlacing(deps: PlacingDeps): () => Promise<boolean> {
  return async () => {
    await failOverdue(deps)
    if (!(await deps.isMarketAvailable())) return false
    const at = deps.clock.now()
    const claimed = await claimPlacements(deps.db, {
      market: deps.market.id,
      limit: deps.concurrency,
      at,
      leaseUntil: new Date(at.getTime() + deps.leaseMs),
      placeableSince: new Date(at.getTime() - deps.giveUpMs),
    })
    await Promise.all(claimed.map((item) => placeOne(deps, item)))
    return claimed.length === deps.concurrency
  }
}

async function placeOne(deps: PlacingDeps, item: WorkItem): Promise<void> {
  const url = new URL(item.tradeUrl)
  const answer = await deps.market.place(
    {
      customId: item.id,
      rawListingId: item.rawListingId,
      marketHashName: item.marketHashName,
      ceilingMills: item.sourcingMills,
      partner: Number(url.searchParams.get('partner')),
      token: url.searchParams.get('token') ?? '',
    },
    { requestId: item.requestId },
  )
  deps.onAnswer?.(item, answer)
  await record(deps, item, answer)
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
      await db.transaction(async (tx) => {
        await recordOrder(tx, item.id, { state: 'refused', detail: answer.detail })
        const failure = { to: 'failed', failure: answer.code, detail: answer.detail } as const
        await applyStep(tx, item, failure, { at, dueAt: at, holdMs })
      })
      return
    case 'unknown':
      // The item is in the hands of the followers now, who ask the supplier until they are sure.
      await recordOrder(db, item.id, { state: 'unknown', detail: answer.detail })
      await reschedule(db, [{ id: item.id, dueAt: soon }])
      return
    case 'not-sent':
      await postponePlacement(db, item.id, {
        detail: answer.detail,
        dueAt: new Date(at.getTime() + answer.retryAfterMs),
      })
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
