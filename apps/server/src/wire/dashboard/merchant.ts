// The dashboard's views of a merchant's business.
import type { AuditItem, Overview, TradePage } from '@tradepost/contract'
import type { AuditEntry } from '#audit'
import { cents, sumCents } from '#kernel/money'
import type { CursorPage } from '#kernel/page'
import type { Wallet } from '#ledger'
import { explainToAccount, type TradeHistory } from '#operations'
import type { TradeBucket } from '#trades'
import type { Endpoint } from '#webhooks'
import { type TradeTotals, totalsView } from '../merchant/merchant.ts'
import { timelineView } from '../merchant/timeline.ts'
import { tradeView } from '../merchant/trade.ts'
import { moneyNumber } from '../money.ts'
import { asOfView } from './as-of.ts'

export interface OverviewData {
  readonly currency: 'USD' | 'EUR'
  readonly unit: 'hour' | 'day'
  readonly figures: readonly TradeTotals[]
  /** Of the time before, of the same length. */
  readonly previous: readonly TradeTotals[]
  readonly series: readonly TradeBucket[]
  readonly wallets: readonly Wallet[]
  readonly endpoint: Endpoint | null
  /** Of figures and series; null: as they are now. */
  readonly asOf: Date | null
}

export function overviewView(data: OverviewData): Omit<Overview, 'firstSteps'> {
  const { unit, series, endpoint } = data
  const { totals, byStatus } = totalsView(data)
  return {
    ...{ totals, byStatus, unit, previous: previousView(data.previous) },
    buckets: series.map(
      ({ at, tradeCount, completedCount, inProgressCount, gmvCents, feesCents }) => ({
        at: at.toISOString(),
        trades: tradeCount,
        completed: completedCount,
        inProgress: inProgressCount,
        volume: moneyNumber(gmvCents),
        feesEarned: moneyNumber(feesCents),
      }),
    ),
    webhook: {
      status: endpoint?.status ?? null,
      failingSince: endpoint?.failingSince?.toISOString() ?? null,
    },
    ...asOfView(data),
  }
}

const previousView = (figures: readonly TradeTotals[]): Overview['previous'] => ({
  volume: moneyNumber(sumCents(figures.map(({ gmvCents }) => gmvCents))),
  feesEarned: moneyNumber(sumCents(figures.map(({ feesCents }) => feesCents))),
  trades: figures.reduce((sum, { tradeCount }) => sum + tradeCount, 0),
  completed: figures.find(({ status }) => status === 'completed')?.tradeCount ?? 0,
})

export function tradePageView(
  history: TradeHistory,
  { userExternalId, now }: { readonly userExternalId: string | null; readonly now: Date },
): TradePage {
  const { trade, requestId } = history
  const { money, items } = explainToAccount(history, now)
  return {
    trade: tradeView(trade),
    userExternalId,
    requestId,
    timeline: timelineView(history).entries,
    explanation: { money, items: [...items].map(([id, said]) => ({ id, ...said })) },
    ...tradeRecordsView(history),
  }
}

/** Every posting about a trade, and every attempt to deliver its events. */
export function tradeRecordsView({
  trade,
  postings,
  attempts,
}: Pick<TradeHistory, 'trade' | 'postings' | 'attempts'>): Pick<
  TradePage,
  'postings' | 'deliveries'
> {
  const numberOf = new Map(trade.items.map(({ id }, i) => [id, i + 1]))
  return {
    postings: postings.map(
      ({ journalId, createdAt, kind, refId, amount, currency, debit, credit }) => ({
        ...{ journalId, at: createdAt.toISOString(), kind, item: numberOf.get(refId) ?? null },
        ...{ amount: moneyNumber(cents(amount)), currency, from: debit, to: credit },
      }),
    ),
    deliveries: attempts.map(
      ({ deliveryId, tenantId, eventType, number, startedAt, durationMs, ...answer }) => ({
        ...{ deliveryId, accountId: tenantId, type: eventType, attempt: number },
        ...{ at: startedAt.toISOString(), durationMs },
        ...{ status: answer.responseStatus, error: answer.error },
      }),
    ),
  }
}

/** What an act was about, by its name. */
export const nameOf = (
  { id }: AuditEntry['subject'],
  names: ReadonlyMap<string, string>,
): string | null => (id === null ? null : (names.get(id) ?? null))

export const auditItemView = (
  { id, at, actor, act, subject, details, changes }: AuditEntry,
  names: ReadonlyMap<string, string>,
): AuditItem => ({
  id: String(id),
  at: at.toISOString(),
  actor: {
    kind: actor.kind,
    id: actor.id,
    name: names.get(actor.id) ?? null,
    request: { ...actor.request },
  },
  act,
  subject: { ...subject, name: nameOf(subject, names) },
  facts: { ...details },
  changes: { ...changes },
})

export const listView = <Item>({ items, nextCursor }: CursorPage<Item>) => ({
  items: [...items],
  nextCursor,
})
