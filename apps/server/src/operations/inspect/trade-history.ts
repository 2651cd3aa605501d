// What several modules remember of one trade. The merchant's timeline and the operator's inspection are both
// made from it.
import type { Snapshot } from '#infra/database/db'
import { listPostingsAbout, type PostingAbout } from '#ledger'
import { listEventsByKey, type RecordedEvent } from '#outbox'
import {
  findTradeHead,
  type ItemStep,
  listSteps,
  readTrades,
  type Trade,
  tradeEventKeys,
} from '#trades'
import { type AttemptOfEvent, listAttemptsOfEvents } from '#webhooks'

export interface TradeHistory {
  readonly trade: Trade
  readonly requestId: string | null
  readonly steps: readonly ItemStep[]
  readonly postings: readonly PostingAbout[]
  readonly events: readonly RecordedEvent[]
  readonly attempts: readonly AttemptOfEvent[]
}

/** Null when there is no such trade, or it belongs to another account than the one asked for. */
export async function readTradeHistory(
  at: Snapshot,
  { tradeId, accountId }: { readonly tradeId: string; readonly accountId?: string },
): Promise<TradeHistory | null> {
  const head = await findTradeHead(at, tradeId)
  if (head === null || (accountId !== undefined && head.accountId !== accountId)) return null
  const [trade] = await readTrades(at, [tradeId])
  if (!trade) return null
  const itemIds = trade.items.map(({ id }) => id)
  const steps = await listSteps(at, trade.id)
  const postings = await listPostingsAbout(at, [trade.id, ...itemIds])
  const events = await listEventsByKey(at, tradeEventKeys(trade.id, itemIds))
  const eventIds = events.map(({ id }) => id)
  // A child of a partner may have an endpoint of its own.
  const endpoints = [...new Set([trade.tenantId, trade.accountId])]
  const attempts = await listAttemptsOfEvents(at, endpoints, eventIds)
  return { trade, requestId: head.requestId, steps, postings, events, attempts }
}
