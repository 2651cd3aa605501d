// A trade as an operator inspects it: its items with their orders or offers, and one timeline of the request,
// the steps, the postings, the calls to suppliers, the events, the webhooks and the cases.

import { type BuyInspection, readBuyInspection } from '#buying'
import { listMarkets, type MarketState } from '#catalog'
import type { Snapshot } from '#infra/database/db'
import { cents, formatCents } from '#kernel/money'
import {
  type CaseEntry,
  type CaseFile,
  findGate,
  listCalls,
  listCasesOfItems,
  listEntries,
  type SupplierCall,
} from '#reconciliation'
import { findSellOf, readSellInspection, type SellInspection } from '#selling'
import type { Trade } from '#trades'
import { readTradeHistory, type TradeHistory } from './trade-history.ts'
import { type ItemPlace, type MoneyAt, moneyOf, placeOf } from './whereabouts.ts'

export interface TradeInspection {
  readonly trade: Trade
  readonly requestId: string | null
  /** Of a buy: its items with their orders at suppliers. */
  readonly items: BuyInspection['items']
  /** Of a sell: its items and the offers of our bots. */
  readonly sell: SellInspection | null
  /** What of the trade's money each account holds now. */
  readonly money: readonly MoneyAt[]
  /** Where each item is, by its id. */
  readonly places: ReadonlyMap<string, ItemPlace>
  /** About its items, the oldest first. */
  readonly cases: readonly CaseFile[]
  readonly markets: readonly MarketNow[]
  readonly timeline: readonly TimelineLine[]
  readonly postings: TradeHistory['postings']
  readonly attempts: TradeHistory['attempts']
}

/** A market as far as it decides what happens next. */
export interface MarketNow extends MarketState {
  /** Purchases are held back since then, after a restore; null: they are placed. */
  readonly heldBackSince: Date | null
}

export interface TimelineLine {
  readonly at: Date
  readonly kind:
    | 'request'
    | 'item'
    | 'order'
    | 'offer'
    | 'call'
    | 'money'
    | 'event'
    | 'webhook'
    | 'case'
  readonly what: string
  /** `#1` for the first item of the trade; null: about the whole trade. */
  readonly item: string | null
  readonly details: object
}

/** By the id of a trade, of one of its items or of one of its offers; null when there is none. */
export async function inspectTrade(at: Snapshot, id: string): Promise<TradeInspection | null> {
  const sellId = await findSellOf(at, id)
  const buy = sellId === null ? await readBuyInspection(at, id) : null
  const history = await readTradeHistory(at, { tradeId: sellId ?? buy?.tradeId ?? id })
  if (history === null) return null
  const { trade, requestId, postings, attempts } = history
  const sell = sellId === null ? null : await readSellInspection(at, sellId)
  const items = buy?.items ?? []
  const customIds = items.flatMap(({ orders }) => orders.map(({ customId }) => customId))
  const calls = await listCalls(at, customIds)
  const cases = await readCases(
    at,
    trade.items.map((item) => item.id),
  )
  const timeline = timelineOf({ ...history, items, sell, calls, cases })
  const places = new Map(
    trade.items.map((item) => [item.id, placeOf(item, { trade, buy: items })] as const),
  )
  const markets = await readMarkets(at)
  const money = moneyOf(postings)
  const found = { trade, requestId, items, sell, money, places, cases, markets }
  return { ...found, timeline, postings, attempts }
}

async function readMarkets(at: Snapshot): Promise<MarketNow[]> {
  const markets: MarketNow[] = []
  for (const market of await listMarkets(at)) {
    const gate = await findGate(at, market.id)
    markets.push({ ...market, heldBackSince: gate?.closedAt ?? null })
  }
  return markets
}

type CaseWithLog = CaseFile & { readonly log: readonly CaseEntry[] }

async function readCases(at: Snapshot, itemIds: readonly string[]): Promise<CaseWithLog[]> {
  const cases: CaseWithLog[] = []
  for (const found of await listCasesOfItems(at, itemIds)) {
    cases.push({ ...found, log: await listEntries(at, found.id) })
  }
  return cases
}

interface Records extends TradeHistory {
  readonly items: BuyInspection['items']
  readonly sell: SellInspection | null
  readonly calls: readonly SupplierCall[]
  readonly cases: readonly CaseWithLog[]
}

function timelineOf(records: Records): TimelineLine[] {
  const { trade, requestId, items, sell, calls, cases } = records
  const numbers = new Map(trade.items.map(({ id }, index) => [id, `#${index + 1}`]))
  const numberOf = (itemId: unknown): string | null => numbers.get(itemId as string) ?? null
  const orders = items.flatMap((item) => item.orders.map((order) => ({ itemId: item.id, order })))
  const itemOfOrder = new Map(orders.map(({ itemId, order }) => [order.customId, itemId]))
  const line = (
    at: Date,
    kind: TimelineLine['kind'],
    what: string,
    item: string | null,
    details: object,
  ): TimelineLine => ({ at, kind, what, item, details })

  const lines = [
    line(trade.createdAt, 'request', trade.type, null, {
      requestId,
      platformId: trade.platformId,
      items: trade.items.length,
    }),
    ...orders.map(({ itemId, order: { sentAt, customId, state, orderId, detail } }) =>
      line(sentAt, 'order', 'intent', numberOf(itemId), { customId, state, orderId, detail }),
    ),
    ...(sell?.offers ?? []).map(({ sentAt, ...details }) =>
      line(sentAt, 'offer', 'intent', null, details),
    ),
    ...records.steps.map(({ itemId, what, status, at, offerId, failure }) =>
      line(at, 'item', what === 'moved' ? status : what, numberOf(itemId), { offerId, failure }),
    ),
    ...records.postings.map(({ createdAt, kind, refId, amount, currency, debit, credit }) =>
      line(createdAt, 'money', kind, numberOf(refId), {
        amount: `${formatCents(cents(amount))} ${currency}`,
        from: debit,
        to: credit,
      }),
    ),
    ...calls.map(
      ({ market, customId, operation, startedAt, durationMs, outcome, answer, requestId }) =>
        line(startedAt, 'call', `${operation}: ${outcome}`, numberOf(itemOfOrder.get(customId)), {
          market,
          ms: durationMs,
          ...answer,
          requestId,
        }),
    ),
    ...records.events.map(({ createdAt, type, publicId, payload }) =>
      line(createdAt, 'event', type, numberOf(payload.itemId), { event: publicId }),
    ),
    ...records.attempts.map(
      ({ startedAt, eventType, number, responseStatus, error, durationMs, deliveryId }) =>
        line(startedAt, 'webhook', eventType, null, {
          attempt: number,
          status: responseStatus,
          error,
          ms: durationMs,
          deliveryId,
        }),
    ),
    ...cases.flatMap(({ id, kind, itemId, log }) =>
      log.map(({ at, what, byWhom, details }) =>
        line(at, 'case', `${kind} ${what}`, numberOf(itemId), { case: id, by: byWhom, ...details }),
      ),
    ),
  ]
  // A stable sort: what one commit wrote keeps the order of the kinds above.
  return lines.sort((a, b) => a.at.getTime() - b.at.getTime())
}
