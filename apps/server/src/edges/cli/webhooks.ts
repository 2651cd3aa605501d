// A merchant's webhook endpoint and its deliveries, on the command line.

import { createNameResolver } from '#infra/http/name-resolver'
import {
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  retryParkedDeliveries,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
} from '#operations'
import {
  countParked,
  findEndpoint,
  listDeliveries,
  OVERLAP_HOURS,
  RECOVERED_AT_ONCE,
  type ResendDeps,
  type SendResult,
} from '#webhooks'
import { dialects } from '#wire/webhook'
import { type Command, type Context, keyHolderOf, usage } from './invocation.ts'
import { table } from './table.ts'

const MOST_LISTED = 50

export const webhookCommands: Readonly<Record<string, Command>> = {
  'webhook:set': async (context) => {
    const url = context.argument ?? usage('webhook:set needs a URL')
    const { id: tenantId } = await keyHolderOf(context)
    const { endpoint, secret } = await setWebhookEndpoint(settingDeps(context), context.actor, {
      ...{ tenantId, url },
    })
    return secret === null
      ? `${endpoint.url} is set and enabled; its secret stays the same.`
      : `${endpoint.url} is set and enabled. Its secret, shown this once: ${secret}`
  },

  'webhook:remove': async (context) => {
    const { id: tenantId } = await keyHolderOf(context)
    await removeWebhookEndpoint(context, context.actor, { tenantId })
    return 'The endpoint is removed: no event is sent to it any more.'
  },

  'webhook:rotate': async (context) => {
    const hours = Number(context.options.overlap ?? 24)
    const overlapHours = OVERLAP_HOURS.find((choice) => choice === hours)
    if (overlapHours === undefined) return usage(`--overlap is one of ${OVERLAP_HOURS.join(', ')}`)
    const { id: tenantId } = await keyHolderOf(context)
    const secret = await rotateWebhookSecret(settingDeps(context), context.actor, {
      tenantId,
      overlapHours,
    })
    return `The new secret, shown this once: ${secret}`
  },

  'webhook:deliveries': async (context) => {
    const endpoint = await findEndpoint(context.db, (await keyHolderOf(context)).id)
    if (!endpoint) return 'This account has no endpoint.'
    const { items } = await listDeliveries(context.db, {
      endpointId: endpoint.id,
      status: context.options.status ?? null,
      limit: MOST_LISTED,
    })
    const rows = items.map(({ id, createdAt, eventType, status, attempts, lastError }) => ({
      id,
      created: createdAt,
      event: eventType,
      status,
      attempts,
      error: lastError,
    }))
    const columns = ['id', 'created', 'event', 'status', 'attempts', 'error']
    return `${endpoint.url} (${endpoint.status})\n${table(rows, columns)}`
  },

  'webhook:test': async (context) => {
    const { id: tenantId } = await keyHolderOf(context)
    return sending(context, async (deps) => {
      const result = await testWebhook(deps, context.actor, tenantId)
      return `${outcomeOf(result)} It is delivery ${result.deliveryId}.`
    })
  },

  'webhook:resend': async (context) => {
    const deliveryId = context.argument ?? usage('webhook:resend needs a delivery id')
    const { id: tenantId } = await keyHolderOf(context)
    return sending(context, async (deps) =>
      outcomeOf(await resendDelivery(deps, context.actor, { tenantId, deliveryId })),
    )
  },

  'webhook:recover': async (context) => {
    const since = new Date(context.options.since ?? context.clock.now())
    if (Number.isNaN(since.getTime()))
      return usage('--since is a time such as 2026-11-21T08:00:00Z')
    const { id: tenantId } = await keyHolderOf(context)
    const count = await recoverDeliveries(context, context.actor, { tenantId, since })
    const more = count < RECOVERED_AT_ONCE ? '' : ' There may be more: give the command again.'
    return `${count} deliveries are sent again now, ten a second.${more}`
  },

  'webhook:parked': async ({ db }) => {
    const parked = await countParked(db)
    if (parked.length === 0) return 'No delivery is parked.'
    return table(
      parked.map((group) => ({ ...group })),
      ['count', 'oldest', 'eventType', 'reason'],
    )
  },

  'webhook:retry-parked': async (context) =>
    `${await retryParkedDeliveries(context, context.actor)} deliveries wait to be sent.`,
}

const outcomeOf = ({ delivered, status, error }: SendResult): string =>
  delivered ? `Delivered: ${status}.` : `Not delivered: ${error}.`

const sending = (context: Context, act: (deps: ResendDeps) => Promise<string>): Promise<string> =>
  context.withSender((sender) =>
    act({ ...context, ...sender, dialects, secrets: context.openSecrets() }),
  )

const settingDeps = (context: Context) => ({
  ...context,
  secrets: context.openSecrets(),
  names: createNameResolver(),
})
