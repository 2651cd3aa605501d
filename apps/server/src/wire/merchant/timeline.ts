// A trade’s timeline: what several modules remember of it, put into one order of time.
import type { TimelineEntry, TradeTimeline } from '@tradepost/contract'
import { cents } from '#kernel/money'
import type { PostingAbout } from '#ledger'
import type { TradeHistory } from '#operations'
import type { ItemStep } from '#trades'
import { moneyNumber } from '../money.ts'

export function timelineView(history: TradeHistory): TradeTimeline {
  const { trade, requestId, steps, postings, events, attempts } = history
  const itemIds = new Set(trade.items.map(({ id }) => id))
  const entries = [
    entry(trade.createdAt, 'request', trade.type),
    ...steps.map((step) =>
      entry(step.at, 'item', step.what, {
        itemId: step.itemId,
        status: step.status,
        error: step.failure,
      }),
    ),
    ...offersOf(steps),
    ...postings.flatMap((posting) => moneyOf(posting, itemIds)),
    ...events.map(({ createdAt, type, publicId, payload }) =>
      entry(createdAt, 'event', type, {
        eventId: publicId,
        itemId: typeof payload.itemId === 'string' ? payload.itemId : null,
      }),
    ),
    ...attempts.map(({ startedAt, eventType, number, responseStatus }) =>
      entry(startedAt, 'webhook', eventType, { attempt: number, responseStatus }),
    ),
  ]
  // A stable sort: what one commit wrote keeps the order of the kinds above.
  entries.sort((a, b) => a.at.localeCompare(b.at))
  return { tradeId: trade.id, requestId, currency: trade.currency, entries }
}

const NOTHING: Omit<TimelineEntry, 'at' | 'kind' | 'what'> = {
  itemId: null,
  status: null,
  error: null,
  amount: null,
  offerId: null,
  eventId: null,
  attempt: null,
  responseStatus: null,
}

const entry = (
  at: Date,
  kind: TimelineEntry['kind'],
  what: string,
  overrides: Partial<TimelineEntry> = {},
): TimelineEntry => ({ ...NOTHING, ...overrides, at: at.toISOString(), kind, what })

/** An offer is listed at the step that first names it. */
function offersOf(steps: readonly ItemStep[]): TimelineEntry[] {
  const known = new Map<string, string>()
  return steps.flatMap(({ itemId, offerId, at }) => {
    if (offerId === null || known.get(itemId) === offerId) return []
    known.set(itemId, offerId)
    return [entry(at, 'offer', 'known', { itemId, offerId })]
  })
}

/** Only postings of the spot wallet are shown: escrow and the service's own accounts are internal. */
function moneyOf(
  { createdAt, entryType, refId, amount, debit, credit }: PostingAbout,
  itemIds: ReadonlySet<string>,
): TimelineEntry[] {
  if (debit !== 'spot' && credit !== 'spot') return []
  const itemId = refId !== null && itemIds.has(refId) ? refId : null
  const change = moneyNumber(cents(debit === 'spot' ? -amount : amount))
  return [entry(createdAt, 'money', entryType, { itemId, amount: change })]
}
