// The webhook endpoints of an account and their deliveries, on the command line.

import { ENDPOINT_EVENT_TYPES, SIGNATURE_FORMS } from '@tradepost/contract'
import { createNameResolver } from '#infra/http/name-resolver'
import {
  createWebhookEndpoint,
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  retryDeadLetters,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
  updateWebhookEndpoint,
} from '#operations'
import {
  countDeadLetters,
  findEndpointOf,
  listDeliveries,
  listEndpoints,
  OVERLAP_HOURS,
  RECOVERED_AT_ONCE,
  type ResendDeps,
  type SendResult,
} from '#webhooks'
import { dialects } from '#wire/webhook'
import { type Context, keyHolderOf } from './context.ts'
import { ANY_ACCOUNT, argument, command, option, time, uuid, wrong } from './declare.ts'
import { table } from './table.ts'

const MOST_LISTED = 50

const STATUSES = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked'] as const

const overlap = (text: string) =>
  OVERLAP_HOURS.find((hours) => hours === Number(text)) ??
  wrong(`It is one of ${OVERLAP_HOURS.join(', ')}.`)

const ENDPOINT = option(
  '--endpoint <id>',
  'of several: webhook:list shows them; else the oldest',
  uuid,
)

/** Types separated by commas; none for `all`, since an option cannot be null. */
const events = (text: string): readonly string[] => {
  if (text === 'all') return []
  const types = [...new Set(text.split(','))]
  const unknown = types.find((type) => !ENDPOINT_EVENT_TYPES.includes(type))
  return unknown === undefined
    ? types
    : wrong(`${unknown} is none of ${ENDPOINT_EVENT_TYPES.join(', ')}.`)
}
const limitOf = (types: readonly string[]): readonly string[] | null =>
  types.length === 0 ? null : types
const FIELDS = [
  option('--events <types>', 'the only ones that it receives, separated by commas, or all', events),
  option('--signature <form>', 'standard: that of Standard Webhooks', SIGNATURE_FORMS),
  option('--description <text>', 'for its owner'),
] as const

export const webhookCommands = [
  command('webhook:list', "an account's endpoints, the oldest first", ...ANY_ACCOUNT).does(
    async (context, options) => {
      const endpoints = await listEndpoints(context.db, (await keyHolderOf(context, options)).id)
      if (endpoints.length === 0) return 'This account has no endpoint.'
      const rows = endpoints.map(({ id, url, status, signature, events, description }) => ({
        ...{ id, url, signature, description },
        status: status === 'enabled' ? 'active' : status,
        events: events === null ? 'all' : events.join(','),
      }))
      return table(rows, ['id', 'url', 'status', 'signature', 'events', 'description'])
    },
  ),

  command(
    'webhook:add',
    'add an endpoint, up to ten; its secret is shown this once',
    argument('<url>', 'of the endpoint'),
    ...FIELDS,
    ...ANY_ACCOUNT,
  ).does(async (context, url, { events = [], signature = 'service', description, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const { endpoint, secret } = await createWebhookEndpoint(settingDeps(context), context.actor, {
      ...{ tenantId, url, signature, description: description ?? '', events: limitOf(events) },
    })
    return `${endpoint.url} is endpoint ${endpoint.id}. Its secret, shown this once: ${secret}`
  }),

  command(
    'webhook:change',
    'change an endpoint, disable it or make it active again',
    argument('<endpoint id>', 'webhook:list shows them', uuid),
    option('--url <url>', 'another address'),
    option('--status <status>', 'of the endpoint', ['active', 'disabled'] as const),
    ...FIELDS,
    ...ANY_ACCOUNT,
  ).does(
    async (context, endpointId, { url, status, events, signature, description, ...options }) => {
      const { id: tenantId } = await keyHolderOf(context, options)
      const changed = await updateWebhookEndpoint(
        settingDeps(context),
        context.actor,
        { tenantId, endpointId },
        {
          ...(url !== undefined && { url }),
          ...(status !== undefined && { status: status === 'active' ? 'enabled' : status }),
          ...(events !== undefined && { events: limitOf(events) }),
          ...(signature !== undefined && { signature }),
          ...(description !== undefined && { description }),
        },
      )
      return `${changed.url} is changed; it is ${changed.status === 'enabled' ? 'active' : changed.status}.`
    },
  ),

  command(
    'webhook:set',
    "set and enable an account's oldest endpoint; a new one's secret is shown once",
    argument('<url>', 'of the endpoint'),
    ...ANY_ACCOUNT,
  ).does(async (context, url, options) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const order = { tenantId, url }
    const set = await setWebhookEndpoint(settingDeps(context), context.actor, order)
    const { endpoint, secret } = set
    return secret === null
      ? `${endpoint.url} is set and enabled; its secret stays the same.`
      : `${endpoint.url} is set and enabled. Its secret, shown this once: ${secret}`
  }),

  command(
    'webhook:remove',
    'stop sending to an endpoint; open deliveries are skipped',
    ENDPOINT,
    ...ANY_ACCOUNT,
  ).does(async (context, { endpoint: endpointId = null, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    await removeWebhookEndpoint(context, context.actor, { tenantId, endpointId })
    return 'The endpoint is removed: no event is sent to it any more.'
  }),

  command(
    'webhook:rotate',
    'a new secret; the old one signs beside it for 0, 1, 24 or 72 hours',
    option('--overlap <hours>', 'so long', overlap, 24),
    ENDPOINT,
    ...ANY_ACCOUNT,
  ).does(async (context, { overlap: overlapHours, endpoint: endpointId = null, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const order = { tenantId, endpointId, overlapHours }
    const secret = await rotateWebhookSecret(settingDeps(context), context.actor, order)
    return `The new secret, shown this once: ${secret}`
  }),

  command(
    'webhook:test',
    'send a test now; it is listed with the deliveries',
    ENDPOINT,
    ...ANY_ACCOUNT,
  ).does(async (context, { endpoint: endpointId = null, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    return sending(context, async (deps) => {
      const result = await testWebhook(deps, context.actor, { tenantId, endpointId })
      return `${outcomeOf(result)} It is delivery ${result.deliveryId}.`
    })
  }),

  command(
    'webhook:deliveries',
    'the newest deliveries',
    option('--status <status>', 'of one status alone', STATUSES),
    ENDPOINT,
    ...ANY_ACCOUNT,
  ).does(async (context, { status, endpoint: endpointId = null, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const endpoint = await findEndpointOf(context.db, { tenantId, endpointId })
    if (!endpoint) return 'This account has no endpoint.'
    const { items } = await listDeliveries(context.db, {
      ...{ endpointIds: [endpoint.id], status: status ?? null, limit: MOST_LISTED },
    })
    const rows = items.map(({ id, createdAt, eventType, status, attempts, lastError }) => ({
      ...{ id, created: createdAt, event: eventType, status, attempts, error: lastError },
    }))
    const columns = ['id', 'created', 'event', 'status', 'attempts', 'error']
    return `${endpoint.url} (${endpoint.status})\n${table(rows, columns)}`
  }),

  command(
    'webhook:resend',
    'send a delivery again now, under its webhook-id',
    argument('<delivery id>', 'webhook:deliveries shows them'),
    ...ANY_ACCOUNT,
  ).does(async (context, deliveryId, options) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    return sending(context, async (deps) =>
      outcomeOf(await resendDelivery(deps, context.actor, { tenantId, deliveryId })),
    )
  }),

  command(
    'webhook:recover',
    'try now what waits for a retry; with a time, also what was lost since then',
    option('--since <time>', 'such as 2026-11-21T08:00:00Z', time),
    ENDPOINT,
    ...ANY_ACCOUNT,
  ).does(
    async (context, { since = context.clock.now(), endpoint: endpointId = null, ...options }) => {
      const { id: tenantId } = await keyHolderOf(context, options)
      const order = { tenantId, endpointId, since }
      const count = await recoverDeliveries(context, context.actor, order)
      const more = count < RECOVERED_AT_ONCE ? '' : ' There may be more: give the command again.'
      return `${count} deliveries are sent again now, ten a second.${more}`
    },
  ),

  command('webhook:parked', 'deliveries whose event could not be rendered, of all merchants').does(
    async ({ db }) => {
      const deadLetters = await countDeadLetters(db)
      if (deadLetters.length === 0) return 'No delivery is parked.'
      return table(
        deadLetters.map((group) => ({ ...group })),
        ['count', 'oldest', 'eventType', 'reason'],
      )
    },
  ),

  command('webhook:retry-parked', 'try up to 10,000 parked deliveries again').does(
    async (context) =>
      `${await retryDeadLetters(context, context.actor)} deliveries wait to be sent.`,
  ),
]

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
