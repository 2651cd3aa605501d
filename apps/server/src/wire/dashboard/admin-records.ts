// The dashboard's views of cases, deliveries of all accounts and the audit log, for administrators.
import type {
  AdminCase,
  AdminCaseDetail,
  AdminDelivery,
  AdminEvent,
  AdminMarketOrder,
  AuditLogEntry,
} from '@tradepost/contract'
import type { Static } from 'typebox'
import type { AuditEntry } from '#audit'
import type { MarketOrder } from '#bidding'
import type { InspectedEvent } from '#outbox'
import { CASE_KINDS, type CaseEntry, type CaseFile, runbookOf } from '#reconciliation'
import type { DeliveryRecord } from '#webhooks'
import type { RenderedEvent } from '../events/render.ts'
import { marketOrderView } from '../merchant/market-order.ts'
import { deliveryView } from './account.ts'
import { nameOf } from './merchant.ts'

const timeOrNull = (at: Date | null): string | null => at?.toISOString() ?? null

export const caseView = (file: CaseFile): AdminCase => ({
  id: file.id,
  kind: file.kind,
  meaning: CASE_KINDS[file.kind as keyof typeof CASE_KINDS] ?? '',
  subject: file.subject,
  market: file.market,
  itemId: file.itemId,
  state: file.state,
  clearedAt: timeOrNull(file.clearedAt),
  sightings: file.sightings,
  firstSeenAt: file.firstSeenAt.toISOString(),
  lastSeenAt: file.lastSeenAt.toISOString(),
  resolvedAt: timeOrNull(file.resolvedAt),
  resolvedBy: file.resolvedBy,
  resolution: file.resolution,
})

export const caseDetailView = (file: CaseFile, log: readonly CaseEntry[]): AdminCaseDetail => ({
  ...caseView(file),
  source: file.source,
  facts: { ...file.details },
  notes: { ...file.notes },
  log: log.map(({ at, what, byWhom, details }) => ({
    at: at.toISOString(),
    what,
    by: byWhom,
    facts: { ...details },
  })),
  runbook: runbookOf(file.kind),
})

export const adminMarketOrderView = (order: MarketOrder, tenantName: string): AdminMarketOrder => ({
  ...marketOrderView(order),
  tenantId: order.tenantId,
  tenantName,
})

/** `names`: of accounts, by their ids. */
export const adminDeliveryView = (
  delivery: DeliveryRecord,
  names: ReadonlyMap<string, string>,
): Static<typeof AdminDelivery> => ({
  ...deliveryView(delivery),
  accountId: delivery.tenantId,
  accountName: names.get(delivery.tenantId) ?? delivery.tenantId,
})

/** `rendered`: as its account reads it; of an event that cannot be rendered, what was stored is shown. */
export const adminEventView = (
  { id, type, tenantId, subjectType, subjectId, createdAt, dispatchedAt, payload }: InspectedEvent,
  {
    deliveries,
    rendered,
    names,
  }: {
    readonly deliveries: readonly DeliveryRecord[]
    readonly rendered: RenderedEvent | undefined
    readonly names: ReadonlyMap<string, string>
  },
): AdminEvent => ({
  ...{ id, type, accountId: tenantId, subjectType, subjectId },
  accountName: names.get(tenantId) ?? tenantId,
  createdAt: createdAt.toISOString(),
  dispatchedAt: timeOrNull(dispatchedAt),
  payload: { ...(rendered?.error ? payload : (rendered?.data ?? payload)) },
  deliveries: deliveries.map((each) => adminDeliveryView(each, names)),
})

/** `names`: of persons and of what the acts were about, by their ids. */
export const auditEntryView = (
  entry: AuditEntry,
  names: ReadonlyMap<string, string>,
): AuditLogEntry => ({
  id: String(entry.id),
  at: entry.at.toISOString(),
  actor: {
    kind: entry.actor.kind,
    id: entry.actor.id,
    name: names.get(entry.actor.id) ?? entry.actor.id,
  },
  act: entry.act,
  subject: { ...entry.subject, name: nameOf(entry.subject, names) },
  accountId: entry.accountId,
  changes: { ...entry.changes },
  facts: { ...entry.details },
  request: { ...entry.actor.request },
})
