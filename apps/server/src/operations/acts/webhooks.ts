// What is done for an account's webhook endpoints. Secrets are shown to the operator and never enter
// the audit log.
import type { Actor } from '#audit'
import { changesOf, recordAct } from '#audit'
import { findAccount } from '#identity'
import type { Tx } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import {
  isApprovedAtEndpoint,
  lockMerchantSettings,
  type MerchantSettings,
  setEndpointConfirmed,
} from '#payouts'
import {
  allowedUrl,
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  type EndpointChanges,
  type EndpointDeps,
  type EndpointName,
  findEndpoint,
  findEndpointOf,
  type HostRules,
  type OverlapHours,
  type ResendDeps,
  recover,
  refuseHost,
  removeEndpoint,
  requeueDeadLetters,
  resend,
  rotateSecret,
  sendTest,
  setEndpoint,
} from '#webhooks'
import { type ActDeps, mayNow, type Note, perform, transactionOf } from './act.ts'

type SettingDeps = ActDeps & Omit<EndpointDeps, 'db'> & HostRules

/** What an entry is about; of the oldest of an account the id is known only once it was found. */
const endpointSubject = (id: string | null = null) => ({ type: 'webhook_endpoint', id })

/**
 * Where withdrawals are approved at the endpoint, who answers at its address moves money: FORBIDDEN to a
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
      subject: endpointSubject(),
      accountId: order.tenantId,
      details: { url: withoutSecrets(order.url) },
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
      const set = await setEndpoint({ ...deps, db: tx }, { ...order, ...interfaceOf(account) })
      note({ subject: endpointSubject(set.endpoint.id) })
      return set
    },
  )
}

/** Whose events an endpoint of the account receives, and in which interface's form. */
const interfaceOf = ({
  kind,
  parentId,
}: {
  readonly kind: string
  readonly parentId: string | null
}) => ({
  dialect: kind === 'partner' || kind === 'child' ? ('partner' as const) : ('merchant' as const),
  parentId: kind === 'child' ? parentId : null,
})

/**
 * Another endpoint; the first of an account as `setWebhookEndpoint` sets it. Refuses VALIDATION_FAILED,
 * WEBHOOK_LIMIT_REACHED, and FORBIDDEN for a first one where `setWebhookEndpoint` does.
 */
export const createWebhookEndpoint = async (
  deps: SettingDeps,
  actor: Actor,
  order: { readonly tenantId: string } & Pick<
    Endpoint,
    'url' | 'description' | 'events' | 'signature'
  >,
): ReturnType<typeof createEndpoint> => {
  await refuseHost(deps, order.url)
  const { tenantId, events, signature } = order
  const shown = { url: withoutSecrets(order.url), events, signature }
  return perform(
    deps,
    actor,
    {
      act: 'webhook.create_endpoint',
      subject: endpointSubject(),
      accountId: tenantId,
      details: shown,
    },
    async (tx, at, note) => {
      const mayApprove = await mayNow(tx, actor, 'money.write')
      const account = (await findAccount(tx, tenantId)) ?? refuse('USER_NOT_FOUND')
      const settings = await lockMerchantSettings(tx, tenantId, at)
      if ((await findEndpoint(tx, tenantId)) === null) {
        await refuseApproving(tx, tenantId, settings, mayApprove)
        await setEndpointConfirmed(tx, tenantId, { isConfirmed: mayApprove, at })
      }
      const created = await createEndpoint(
        { ...deps, db: tx },
        { ...order, ...interfaceOf(account), mayApprove },
      )
      note({ subject: endpointSubject(created.endpoint.id) })
      return created
    },
  )
}

/** Who answers where withdrawals are approved moves money. */
async function refuseApproving(
  tx: Tx,
  tenantId: string,
  settings: MerchantSettings,
  mayMoveMoney: boolean,
): Promise<void> {
  if (!mayMoveMoney && (await isApprovedAtEndpoint(tx, tenantId, settings))) refuse('FORBIDDEN')
}

/**
 * Changes what is given of an endpoint. Another address of the oldest, or its being disabled, is FORBIDDEN as
 * `setWebhookEndpoint` is. Refuses NOT_FOUND and VALIDATION_FAILED.
 */
export const updateWebhookEndpoint = async (
  deps: SettingDeps,
  actor: Actor,
  name: Required<EndpointName>,
  changes: EndpointChanges,
): Promise<Endpoint> => {
  if (changes.url !== undefined) await refuseHost(deps, changes.url)
  const { tenantId } = name
  return perform(
    deps,
    actor,
    {
      act: 'webhook.update_endpoint',
      subject: endpointSubject(name.endpointId),
      accountId: tenantId,
      details: {},
    },
    async (tx, at, note) => {
      const mayMoveMoney = await mayNow(tx, actor, 'money.write')
      const settings = await lockMerchantSettings(tx, tenantId, at)
      const was = (await findEndpointOf(tx, name)) ?? refuse('NOT_FOUND')
      const isOldest = (await findEndpoint(tx, tenantId))?.id === was.id
      const setsUrl = changes.url !== undefined
      const isAnother = setsUrl && allowedUrl(changes.url, deps) !== new URL(was.url).href
      const isSwitched = changes.status !== undefined && changes.status !== was.status
      if (isOldest && (isAnother || isSwitched)) {
        await refuseApproving(tx, tenantId, settings, mayMoveMoney)
      }
      const isConfirmed = setsUrl && (mayMoveMoney || isAnother)
      if (isOldest && isConfirmed) {
        await setEndpointConfirmed(tx, tenantId, { isConfirmed: mayMoveMoney, at })
      }
      const changed = await changeEndpoint({ ...deps, db: tx }, was, {
        ...changes,
        ...(isConfirmed && { mayApprove: mayMoveMoney }),
      })
      note({ changes: changesOf(loggedOf(was), loggedOf(changed)) })
      return changed
    },
  )
}

const loggedOf = ({ url, description, events, signature, status }: Endpoint) => ({
  ...{ url: withoutSecrets(url), description, signature, status },
  events: events === null ? null : events.join(', '),
})

/**
 * No event is sent to the endpoint any more, and its open deliveries are skipped; a child without any has
 * its events sent to its partner's. Where it was the oldest, the next one approves what may be approved.
 * Refuses NOT_FOUND without one, and FORBIDDEN as `setWebhookEndpoint` does.
 */
export const removeWebhookEndpoint = (
  deps: ActDeps,
  actor: Actor,
  name: EndpointName,
): Promise<void> => {
  const { tenantId } = name
  return perform(
    deps,
    actor,
    {
      act: 'webhook.remove_endpoint',
      subject: endpointSubject(),
      accountId: tenantId,
      details: {},
    },
    async (tx, at, note) => {
      const mayMoveMoney = await mayNow(tx, actor, 'money.write')
      const settings = await lockMerchantSettings(tx, tenantId, at)
      const was = (await findEndpointOf(tx, name)) ?? refuse('NOT_FOUND')
      const isOldest = (await findEndpoint(tx, tenantId))?.id === was.id
      if (isOldest) await refuseApproving(tx, tenantId, settings, mayMoveMoney)
      note({
        subject: endpointSubject(was.id),
        changes: changesOf({ url: withoutSecrets(was.url) }, { url: null }),
      })
      await removeEndpoint(tx, was.id, at)
      const next = await findEndpoint(tx, tenantId)
      if (isOldest && next !== null) {
        await setEndpointConfirmed(tx, tenantId, { isConfirmed: next.mayApprove, at })
      }
    },
  )
}

export const rotateWebhookSecret = (
  deps: Omit<SettingDeps, 'names'>,
  actor: Actor,
  order: EndpointName & { readonly overlapHours: OverlapHours },
): Promise<string> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.rotate_secret',
      subject: endpointSubject(),
      accountId: order.tenantId,
      details: { overlapHours: order.overlapHours },
    },
    async (tx, _at, note) => {
      await noteEndpoint(tx, order, note)
      return rotateSecret({ ...deps, db: tx }, order)
    },
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
      ...{ details: { tenantId }, accountId: tenantId },
    }),
  )
  return resend(deps, order)
}

/** The entry is committed before the request is sent. */
export async function testWebhook(
  deps: Omit<ResendDeps, 'render'> & ActDeps,
  actor: Actor,
  name: EndpointName,
): ReturnType<typeof sendTest> {
  await perform(
    deps,
    actor,
    {
      ...{ act: 'webhook.test', subject: endpointSubject() },
      ...{ details: {}, accountId: name.tenantId },
    },
    (tx, _at, note) => noteEndpoint(tx, name, note),
  )
  return sendTest(deps, name)
}

/** As `recover`, in one commit with the entry. */
export const recoverDeliveries = (
  deps: ActDeps,
  actor: Actor,
  order: EndpointName & { readonly since: Date },
): Promise<number> =>
  perform(
    deps,
    actor,
    {
      ...{ act: 'webhook.recover', subject: endpointSubject() },
      ...{ accountId: order.tenantId, details: { since: order.since } },
    },
    async (tx, _at, note) => {
      await noteEndpoint(tx, order, note)
      return recover({ ...deps, db: tx }, order)
    },
  )

/** Refuses NOT_FOUND without it. */
async function noteEndpoint(tx: Tx, name: EndpointName, note: Note): Promise<void> {
  const { id } = (await findEndpointOf(tx, name)) ?? refuse('NOT_FOUND')
  note({ subject: endpointSubject(id) })
}

/** Makes up to 10,000 dead letters of all tenants due again; how many. */
export const retryDeadLetters = (deps: ActDeps, actor: Actor): Promise<number> =>
  perform(
    deps,
    actor,
    {
      act: 'webhook.retry_parked',
      subject: { type: 'webhook_delivery', id: 'parked' },
      details: {},
    },
    (tx) => requeueDeadLetters(tx, deps.clock.now()),
  )

/** Without user, password and query: all three may hold a secret of the merchant's. */
export function withoutSecrets(text: string): string {
  const url = URL.parse(text)
  return url === null ? '(not a URL)' : `${url.origin}${url.pathname}`
}
