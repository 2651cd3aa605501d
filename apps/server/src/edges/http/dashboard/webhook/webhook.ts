// The webhook endpoints of the session's account, and their deliveries.
import {
  type DeliveriesQuery,
  type DeliveryDetail,
  dashboardRoutes,
  type WebhookEndpoint,
} from '@tradepost/contract'
import type { Static } from 'typebox'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  createWebhookEndpoint,
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
  updateWebhookEndpoint,
} from '#operations'
import { findMerchantSettings, isApprovedAtEndpoint } from '#payouts'
import {
  type Endpoint,
  findDeliveryRecord,
  findEndpoint,
  findEndpointId,
  findEndpointOf,
  findSentEvent,
  type HostRules,
  listAttempts,
  listDeliveries,
  listEndpoints,
  type ResendDeps,
  readEndpointIds,
} from '#webhooks'
import {
  deliveryDetailView,
  deliveryView,
  endpointView,
  oldestEndpointView,
} from '#wire/dashboard/account'
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
  | keyof ReturnType<typeof createEndpointOperations>
> => ({
  ...createEndpointOperations(deps),

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
    testWebhook(deps, caller.actor, { tenantId: caller.account.id }),
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
    return listed(deps, caller, endpointId === null ? [] : [endpointId], query)
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

/** Of each endpoint by its id, and of all of them. */
const createEndpointOperations = (deps: WebhookOperationDeps) => {
  const { db } = deps
  const nameOf = ({ account }: LoggedIn, { id }: { readonly id: string }) => ({
    tenantId: account.id,
    endpointId: id,
  })
  const shownAll = async ({ account }: LoggedIn) =>
    (await listEndpoints(db, account.id)).map((endpoint, i) => endpointView(endpoint, i === 0))
  const isOldest = async ({ id, tenantId }: Endpoint) =>
    (await findEndpoint(db, tenantId))?.id === id
  return {
    listEndpoints: operation(dashboardRoutes.listEndpoints, ({ caller }) => shownAll(caller)),

    getEndpoint: operation(dashboardRoutes.getEndpoint, async ({ params, caller }) => {
      const endpoint = (await findEndpointOf(db, nameOf(caller, params))) ?? refuse('NOT_FOUND')
      return endpointView(endpoint, await isOldest(endpoint))
    }),

    createEndpoint: operation(dashboardRoutes.createEndpoint, async ({ body, caller }) => {
      const { description = '', events = null, signature = 'service', url } = body
      const { endpoint, secret } = await createWebhookEndpoint(deps, caller.actor, {
        ...{ tenantId: caller.account.id, url, description, events, signature },
      })
      return { ...endpointView(endpoint, await isOldest(endpoint)), secret }
    }),

    updateEndpoint: operation(
      dashboardRoutes.updateEndpoint,
      async ({ params, body: { status, ...fields }, caller }) => {
        const changes = {
          ...fields,
          ...(status !== undefined && {
            status: status === 'active' ? ('enabled' as const) : status,
          }),
        }
        const name = nameOf(caller, params)
        const endpoint = await updateWebhookEndpoint(deps, caller.actor, name, changes)
        return endpointView(endpoint, await isOldest(endpoint))
      },
    ),

    removeEndpoint: operation(dashboardRoutes.removeEndpoint, async ({ params, caller }) => {
      await removeWebhookEndpoint(deps, caller.actor, nameOf(caller, params))
      return shownAll(caller)
    }),

    rotateEndpointSecret: operation(
      dashboardRoutes.rotateEndpointSecret,
      async ({ params, body: { overlapHours }, caller }) => {
        const order = { ...nameOf(caller, params), overlapHours }
        return { secret: await rotateWebhookSecret(deps, caller.actor, order) }
      },
    ),

    testEndpoint: operation(dashboardRoutes.testEndpoint, ({ params, caller }) =>
      testWebhook(deps, caller.actor, nameOf(caller, params)),
    ),

    recoverEndpoint: operation(
      dashboardRoutes.recoverEndpoint,
      async ({ params, body, caller }) => {
        const order = { ...nameOf(caller, params), since: new Date(body.since) }
        return { count: await recoverDeliveries(deps, caller.actor, order) }
      },
    ),

    listEndpointDeliveries: operation(
      dashboardRoutes.listEndpointDeliveries,
      async ({ params, query, caller }) => {
        const { id } = (await findEndpointOf(db, nameOf(caller, params))) ?? refuse('NOT_FOUND')
        return listed(deps, caller, [id], query)
      },
    ),

    listEveryDelivery: operation(
      dashboardRoutes.listEveryDelivery,
      async ({ query: { endpointId, ...query }, caller }) => {
        const ids = await readEndpointIds(db, caller.account.id)
        const wanted = endpointId === undefined ? ids : ids.filter((id) => id === endpointId)
        return listed(deps, caller, wanted, query)
      },
    ),
  }
}

async function listed(
  { heavyReads }: WebhookOperationDeps,
  caller: LoggedIn,
  endpointIds: readonly string[],
  { from, to, ...asked }: Static<typeof DeliveriesQuery>,
) {
  if (endpointIds.length === 0) return { items: [], nextCursor: null }
  const query = { ...asked, endpointIds, from: timeOf(from), to: timeOf(to) }
  const { items, nextCursor } = await heavyReads.run(
    caller.session.membership.accountId,
    (heavyDb) => listDeliveries(heavyDb, query),
  )
  return { items: items.map(deliveryView), nextCursor }
}

const shown = async (
  { db, allowPrivate }: WebhookOperationDeps,
  endpoint: Endpoint | null,
  { account: { id } }: LoggedIn,
  secret: string | null = null,
): Promise<WebhookEndpoint> => {
  const settings = await findMerchantSettings(db, id)
  const approvesWithdrawals = await isApprovedAtEndpoint(db, id, settings)
  return oldestEndpointView(endpoint, { allowPrivate, approvesWithdrawals, secret })
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
