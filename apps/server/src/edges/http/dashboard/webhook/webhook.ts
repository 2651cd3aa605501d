// The webhook endpoint of the session's account, and its deliveries.
import { type DeliveryDetail, dashboardRoutes, type WebhookEndpoint } from '@tradepost/contract'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
} from '#operations'
import { findMerchantSettings, isApprovedAtEndpoint } from '#payouts'
import {
  type Endpoint,
  findDeliveryRecord,
  findEndpoint,
  findEndpointId,
  findSentEvent,
  type HostRules,
  listAttempts,
  listDeliveries,
  type ResendDeps,
} from '#webhooks'
import { deliveryDetailView, deliveryView, endpointView } from '#wire/dashboard/account'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'

export type WebhookOperationDeps = ActDeps &
  ResendDeps &
  HostRules & { readonly heavyReads: HeavyReads }

export const createWebhookOperations = (
  deps: WebhookOperationDeps,
): Pick<
  DashboardOperations,
  | 'getWebhook'
  | 'setWebhook'
  | 'removeWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'listDeliveries'
  | 'getDelivery'
  | 'resendDelivery'
  | 'recoverDeliveries'
> => ({
  getWebhook: operation(dashboardRoutes.getWebhook, async ({ caller }) =>
    shown(deps, await findEndpoint(deps.db, caller.account.id), caller),
  ),

  setWebhook: operation(dashboardRoutes.setWebhook, async ({ body, caller }) => {
    const order = { tenantId: caller.account.id, url: body.url }
    const { endpoint, secret } = await setWebhookEndpoint(deps, caller.actor, order)
    return shown(deps, endpoint, caller, secret)
  }),

  removeWebhook: operation(dashboardRoutes.removeWebhook, async ({ caller }) => {
    await removeWebhookEndpoint(deps, caller.actor, { tenantId: caller.account.id })
    return shown(deps, null, caller)
  }),

  rotateWebhookSecret: operation(dashboardRoutes.rotateWebhookSecret, async ({ body, caller }) => ({
    secret: await rotateWebhookSecret(deps, caller.actor, {
      tenantId: caller.account.id,
      overlapHours: body.overlapHours,
    }),
  })),

  testWebhook: operation(dashboardRoutes.testWebhook, async ({ caller }) =>
    testWebhook(deps, caller.actor, caller.account.id),
  ),

  getDelivery: operation(dashboardRoutes.getDelivery, async ({ params, caller }) => {
    const tenantId = caller.account.id
    const delivery = await findDeliveryRecord(deps.db, { id: params.id, tenantId })
    if (delivery === null) return refuse('NOT_FOUND')
    const event = await findSentEvent(deps.db, delivery)
    const attempts = await listAttempts(deps.db, { deliveryId: delivery.id, tenantId })
    const shown = deliveryDetailView(delivery, event, attempts)
    return caller.session.impersonation === null ? shown : withoutSignatures(shown)
  }),

  listDeliveries: operation(dashboardRoutes.listDeliveries, async ({ query, caller }) => {
    const endpointId = await findEndpointId(deps.db, caller.account.id)
    if (endpointId === null) return { items: [], nextCursor: null }
    const { from, to, ...asked } = query
    const { items, nextCursor } = await deps.heavyReads.run(
      caller.session.membership.accountId,
      (heavyDb) =>
        listDeliveries(heavyDb, {
          ...asked,
          ...{ endpointId, from: timeOf(from), to: timeOf(to) },
        }),
    )
    return { items: items.map(deliveryView), nextCursor }
  }),

  resendDelivery: operation(dashboardRoutes.resendDelivery, async ({ params, caller }) =>
    resendDelivery(deps, caller.actor, { tenantId: caller.account.id, deliveryId: params.id }),
  ),

  recoverDeliveries: operation(dashboardRoutes.recoverDeliveries, async ({ body, caller }) => ({
    count: await recoverDeliveries(deps, caller.actor, {
      tenantId: caller.account.id,
      since: new Date(body.since),
    }),
  })),
})

const shown = async (
  { db, allowPrivate }: WebhookOperationDeps,
  endpoint: Endpoint | null,
  { account: { id } }: LoggedIn,
  secret: string | null = null,
): Promise<WebhookEndpoint> => {
  const settings = await findMerchantSettings(db, id)
  const approvesWithdrawals = await isApprovedAtEndpoint(db, id, settings)
  return endpointView(endpoint, { allowPrivate, approvesWithdrawals, secret })
}

const timeOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

/** A signature proves who sent a message: an administrator who looks at an account needs none. */
const withoutSignatures = (delivery: DeliveryDetail): DeliveryDetail => ({
  ...delivery,
  history: delivery.history.map((attempt) => ({
    ...attempt,
    requestHeaders: Object.fromEntries(
      Object.entries(attempt.requestHeaders).map(([name, value]) => [
        name,
        name.endsWith('signature') ? '(hidden)' : value,
      ]),
    ),
  })),
})
