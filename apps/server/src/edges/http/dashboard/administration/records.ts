// What administrators look into: cases, deliveries of all accounts, the audit log.
import { dashboardRoutes } from '@tradepost/contract'
import { listAudit } from '#audit'
import { readAccountNames } from '#identity'
import type { StaleReads } from '#infra/database/replica'
import { cursorPageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import { type ActDeps, resendDelivery, resolveCase, retryDeadLetters } from '#operations'
import { inspectEvent } from '#outbox'
import { findCase, listCases, listEntries } from '#reconciliation'
import {
  findSentEvent,
  listAllDeliveries,
  listAttempts,
  listDeliveriesOfEvent,
  type ResendDeps,
} from '#webhooks'
import { deliveryDetailView } from '#wire/dashboard/account'
import {
  adminEventView,
  auditEntryView,
  caseDetailView,
  caseView,
} from '#wire/dashboard/admin-records'
import { asOfView } from '#wire/dashboard/as-of'
import type { RenderEvents } from '#wire/events/render'
import { readAuditNames } from '../audit-names.ts'
import { type DashboardOperations, operation } from '../operation.ts'
import { actorIdOf } from './actor-id.ts'
import { deliveryViews } from './delivery-views.ts'

type RecordOperations = Pick<
  DashboardOperations,
  | 'listCases'
  | 'getCase'
  | 'resolveCase'
  | 'listAllDeliveries'
  | 'getAnyDelivery'
  | 'getAnyEvent'
  | 'resendAnyDelivery'
  | 'retryParked'
  | 'listAuditLog'
>

/** An outcome moves money, and is said at the command line alone. */
const refuseWithoutOutcome = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'body', pointer: '', rule: 'outcome' },
        message: 'an operator decides it: npm run ops -- help cases resolve',
      },
    ],
  })

export interface RecordDeps extends ActDeps, ResendDeps {
  readonly staleReads: StaleReads
  readonly render: ResendDeps['render'] & RenderEvents
}

export function createRecordOperations(deps: RecordDeps): RecordOperations {
  const { db, staleReads } = deps
  const shownCase = async (id: string) =>
    caseDetailView((await findCase(db, id)) ?? refuse('NOT_FOUND'), await listEntries(db, id))
  const findDelivery = async (id: string) => {
    const [delivery] = await listAllDeliveries(db, {
      ...{ ids: [id], limit: 1 },
      ...{ status: null, cursor: null },
    })
    return delivery ?? refuse('NOT_FOUND')
  }
  return {
    listCases: operation(dashboardRoutes.listCases, async ({ query }) => {
      const { cursor: before = null, state = null, kind = null, limit } = query
      const rows = await listCases(db, { state, kind, before, limit: limit + 1 })
      const { items, nextCursor } = cursorPageOf(rows, limit, ({ id }) => id)
      return { items: items.map(caseView), nextCursor }
    }),

    getCase: operation(dashboardRoutes.getCase, ({ params }) => shownCase(params.id)),

    resolveCase: operation(dashboardRoutes.resolveCase, async ({ params, body, caller }) => {
      const { email: by } = caller.session.person
      const order = { reason: body.reason, by }
      const result = await resolveCase(deps, caller.actor, params.id, order)
      if (result === 'needs-outcome') return refuseWithoutOutcome()
      return result === 'not-found' ? refuse('NOT_FOUND') : shownCase(params.id)
    }),

    listAllDeliveries: operation(dashboardRoutes.listAllDeliveries, async ({ query }) => {
      const { cursor = null, status = null, limit } = query
      // The primary's: it is read again at once after dead letters are to be tried again.
      const rows = await listAllDeliveries(db, { status, cursor, limit: limit + 1 })
      const { items, nextCursor } = cursorPageOf(rows, limit, ({ id }) => id)
      return { items: await deliveryViews(db, items), nextCursor }
    }),

    getAnyDelivery: operation(dashboardRoutes.getAnyDelivery, async ({ params }) => {
      const delivery = await findDelivery(params.id)
      const { id: deliveryId, tenantId } = delivery
      const event = await findSentEvent(db, delivery)
      return deliveryDetailView(delivery, event, await listAttempts(db, { deliveryId, tenantId }))
    }),

    getAnyEvent: operation(dashboardRoutes.getAnyEvent, async ({ params }) => {
      const event = (await inspectEvent(db, params.id)) ?? refuse('NOT_FOUND')
      const { number, tenantId, accountId } = event
      const accountIds = [...new Set([tenantId, accountId])]
      const deliveries = await listDeliveriesOfEvent(db, { accountIds, number })
      const names = await readAccountNames(db, accountIds)
      const [rendered] = await deps.render([{ ...event, eventType: event.type }])
      return adminEventView(event, { deliveries, rendered, names })
    }),

    resendAnyDelivery: operation(dashboardRoutes.resendAnyDelivery, async ({ params, caller }) => {
      const { id: deliveryId, tenantId } = await findDelivery(params.id)
      return resendDelivery(deps, caller.actor, { tenantId, deliveryId })
    }),

    retryParked: operation(dashboardRoutes.retryParked, async ({ caller }) => ({
      retried: await retryDeadLetters(deps, caller.actor),
    })),

    listAuditLog: operation(dashboardRoutes.listAuditLog, async ({ query }) => {
      const { cursor, limit, actor, act, accountId, subjectId, from, to } = query
      return staleReads(async (at) => {
        const entries = await listAudit(at, {
          ...{ act, accountId, subjectId },
          actorId: actor && (await actorIdOf(at, actor)),
          before: cursor === undefined ? undefined : BigInt(cursor),
          from: from === undefined ? undefined : new Date(from),
          to: to === undefined ? undefined : new Date(to),
          limit: limit + 1,
        })
        const { items, nextCursor } = cursorPageOf(entries, limit, ({ id }) => String(id))
        const names = await readAuditNames(at, items)
        const shown = items.map((entry) => auditEntryView(entry, names))
        return { items: shown, nextCursor, ...asOfView(at) }
      })
    }),
  }
}
