// What an operator does for a merchant's webhook endpoint. Secrets are shown to the operator and never enter
// the audit log.
import type { Actor } from '#audit'
import { changesOf, recordAct } from '#audit'
import { findAccount } from '#identity'
import { refuse } from '#kernel/refusal'
import { isApprovedAtEndpoint, lockMerchantSettings, setEndpointConfirmed } from '#payouts'
import {
  allowedUrl,
  type EndpointDeps,
  findEndpoint,
  type HostRules,
  type OverlapHours,
  type ResendDeps,
  recover,
  refuseHost,
  removeEndpoint,
  resend,
  retryParked,
  rotateSecret,
  sendTest,
  setEndpoint,
} from '#webhooks'
import { type ActDeps, mayNow, perform, transactionOf } from './act.ts'

type SettingDeps = ActDeps & Omit<EndpointDeps, 'db'> & HostRules

const endpointOf = (tenantId: string) => ({ type: 'webhook_endpoint', id: tenantId })

/**
 * Where withdrawals are approved at the endpoint, who answers at its address moves money: FORBIDDEN to an
 * member who may not, unless the address stays the same. An address that such a member sets before approves
 * nothing until one who may sets it too. Refuses VALIDATION_FAILED.
 */
export const setWebhookEndpoint = async (
  deps: SettingDeps,
  actor: Actor,
  order: { readonly tenantId: string; readonly url: string },
): ReturnType<typeof setEndpoint> => {
  await refuseHost(deps, order.url)
  return perform(
    deps,
    actor,
    {
      act: 'webhook.set_endpoint',
      subject: endpointOf(order.tenantId),
      accountId: order.tenantId,
      facts: { url: withoutSecrets(order.url) },
    },
    async (tx, at, note) => {
      const mayMoveMoney = await mayNow(tx, actor, 'money.write')
      const account = (await findAccount(tx, order.tenantId)) ?? refuse('USER_NOT_FOUND')
      const url = withoutSecrets(order.url)
      // Locked before anything is read: no other transaction clears the callback meanwhile.
      const settings = await lockMerchantSettings(tx, order.tenantId, at)
      const was = await findEndpoint(tx, order.tenantId)
      const isAnother = was === null || allowedUrl(order.url, deps) !== new URL(was.url).href
      if (!mayMoveMoney && isAnother && (await isApprovedAtEndpoint(tx, account.id, settings))) {
        return refuse('FORBIDDEN')
      }
      if (mayMoveMoney || isAnother) {
        await setEndpointConfirmed(tx, account.id, { isConfirmed: mayMoveMoney, at })
      }
      note({ changes: changesOf({ url: was && withoutSecrets(was.url) }, { url }) })
      const dialect =
        account.kind === 'partner' || account.kind === 'child' ? 'partner' : 'merchant'
      const parentId = account.kind === 'child' ? account.parentId : null
      return setEndpoint({ ...deps, db: tx }, { ...order, parentId, dialect })
    },
  )
}

/**
 * No event is sent to the endpoint any more, a child's go to its partner's, and open deliveries are skipped.
 * Refuses NOT_FOUND without one, and FORBIDDEN as `setWebhookEndpoint` does.
 */
export const removeWebhookEndpoint = (
  deps: ActDeps,
  actor: Actor,
  { tenantId }: { readonly tenantId: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.remove_endpoint',
      subject: endpointOf(tenantId),
      accountId: tenantId,
      facts: {},
    },
    async (tx, at, note) => {
      const mayMoveMoney = await mayNow(tx, actor, 'money.write')
      const settings = await lockMerchantSettings(tx, tenantId, at)
      const was = (await findEndpoint(tx, tenantId)) ?? refuse('NOT_FOUND')
      if (!mayMoveMoney && (await isApprovedAtEndpoint(tx, tenantId, settings))) {
        return refuse('FORBIDDEN')
      }
      note({ changes: changesOf({ url: withoutSecrets(was.url) }, { url: null }) })
      await removeEndpoint(tx, tenantId, at)
    },
  )

export const rotateWebhookSecret = (
  deps: Omit<SettingDeps, 'names'>,
  actor: Actor,
  order: { readonly tenantId: string; readonly overlapHours: OverlapHours },
): Promise<string> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.rotate_secret',
      subject: endpointOf(order.tenantId),
      accountId: order.tenantId,
      facts: { overlapHours: order.overlapHours },
    },
    (tx) => rotateSecret({ ...deps, db: tx }, order),
  )

/** The entry is committed before the request is sent: no transaction is open while it is under way. */
export async function resendDelivery(
  deps: ResendDeps & ActDeps,
  actor: Actor,
  order: { readonly tenantId: string; readonly deliveryId: string },
): ReturnType<typeof resend> {
  const { tenantId, deliveryId } = order
  const subject = { type: 'webhook_delivery', id: deliveryId }
  const at = deps.clock.now()
  await transactionOf(deps.db, actor, (tx) =>
    recordAct(tx, {
      ...{ actor, act: 'webhook.resend', subject, at },
      ...{ facts: { tenantId }, accountId: tenantId },
    }),
  )
  return resend(deps, order)
}

/** The entry is committed before the request is sent. */
export async function testWebhook(
  deps: Omit<ResendDeps, 'render'> & ActDeps,
  actor: Actor,
  tenantId: string,
): ReturnType<typeof sendTest> {
  await perform(
    deps,
    actor,
    { act: 'webhook.test', subject: endpointOf(tenantId), accountId: tenantId, facts: {} },
    async () => {},
  )
  return sendTest(deps, tenantId)
}

/** As `recover`, in one commit with the entry. */
export const recoverDeliveries = (
  deps: ActDeps,
  actor: Actor,
  order: { readonly tenantId: string; readonly since: Date },
): Promise<number> =>
  perform(
    deps,
    actor,
    {
      ...{ act: 'webhook.recover', subject: endpointOf(order.tenantId) },
      ...{ accountId: order.tenantId, facts: { since: order.since } },
    },
    (tx) => recover({ ...deps, db: tx }, order),
  )

/** Makes up to 10,000 parked deliveries of all tenants due again; how many. */
export const retryParkedDeliveries = (deps: ActDeps, actor: Actor): Promise<number> =>
  perform(
    deps,
    actor,
    { act: 'webhook.retry_parked', subject: { type: 'webhook_delivery', id: 'parked' }, facts: {} },
    (tx) => retryParked(tx, deps.clock.now()),
  )

/** Without user, password and query: all three may hold a secret of the merchant's. */
export function withoutSecrets(text: string): string {
  const url = URL.parse(text)
  return url === null ? '(not a URL)' : `${url.origin}${url.pathname}`
}
