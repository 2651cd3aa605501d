// What an operator does for a merchant's webhook endpoint. Secrets are shown to the operator and never enter
// the audit log.
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import {
  type EndpointDeps,
  type OVERLAP_HOURS,
  type ResendDeps,
  recover,
  resend,
  rotateSecret,
  setEndpoint,
} from '#webhooks'
import { type ActDeps, perform } from './act.ts'

type SettingDeps = ActDeps & Omit<EndpointDeps, 'db'>

const endpointOf = (merchantId: string) => ({ type: 'webhook_endpoint', id: merchantId })

export const setWebhookEndpoint = (
  deps: SettingDeps,
  actor: Actor,
  order: { readonly merchantId: string; readonly url: string },
): ReturnType<typeof setEndpoint> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.set_endpoint',
      subject: endpointOf(order.merchantId),
      facts: { url: withoutSecrets(order.url) },
    },
    (tx) => setEndpoint({ ...deps, db: tx }, order),
  )

export const rotateWebhookSecret = (
  deps: SettingDeps,
  actor: Actor,
  order: { readonly merchantId: string; readonly overlapHours: (typeof OVERLAP_HOURS)[number] },
): Promise<string> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.rotate_secret',
      subject: endpointOf(order.merchantId),
      facts: { overlapHours: order.overlapHours },
    },
    (tx) => rotateSecret({ ...deps, db: tx }, order),
  )

/** The entry is committed before the request is sent: no transaction is open while it is under way. */
export async function resendDelivery(
  deps: ResendDeps & ActDeps,
  actor: Actor,
  order: { readonly merchantId: string; readonly deliveryId: string },
): ReturnType<typeof resend> {
  const { merchantId, deliveryId } = order
  const subject = { type: 'webhook_delivery', id: deliveryId }
  const at = deps.clock.now()
  await deps.db.transaction((tx) =>
    recordAct(tx, { actor, act: 'webhook.resend', subject, facts: { merchantId }, at }),
  )
  return resend(deps, order)
}

export const recoverDeliveries = (
  deps: ActDeps,
  actor: Actor,
  order: { readonly merchantId: string; readonly since: Date },
): Promise<number> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.recover',
      subject: endpointOf(order.merchantId),
      facts: { since: order.since },
    },
    (tx) => recover({ ...deps, db: tx }, order),
  )

/** Without user, password and query: all three may hold a secret of the merchant's. */
function withoutSecrets(text: string): string {
  const url = URL.parse(text)
  return url === null ? '(not a URL)' : `${url.origin}${url.pathname}`
}
