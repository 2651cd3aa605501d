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
import { type Context, keyHolderOf } from './context.ts'
import { ANY_ACCOUNT, argument, command, option, time, wrong } from './declare.ts'
import { table } from './table.ts'

const MOST_LISTED = 50

const STATUSES = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked'] as const

const overlap = (text: string) =>
  OVERLAP_HOURS.find((hours) => hours === Number(text)) ??
  wrong(`It is one of ${OVERLAP_HOURS.join(', ')}.`)

export const webhookCommands = [
  command(
    'webhook:set',
    "set and enable an account's endpoint; a new one's secret is shown once",
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
    ...ANY_ACCOUNT,
  ).does(async (context, options) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    await removeWebhookEndpoint(context, context.actor, { tenantId })
    return 'The endpoint is removed: no event is sent to it any more.'
  }),

  command(
    'webhook:rotate',
    'a new secret; the old one signs beside it for 0, 1, 24 or 72 hours',
    option('--overlap <hours>', 'so long', overlap, 24),
    ...ANY_ACCOUNT,
  ).does(async (context, { overlap: overlapHours, ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const order = { tenantId, overlapHours }
    const secret = await rotateWebhookSecret(settingDeps(context), context.actor, order)
    return `The new secret, shown this once: ${secret}`
  }),

  command('webhook:test', 'send a test now; it is listed with the deliveries', ...ANY_ACCOUNT).does(
    async (context, options) => {
      const { id: tenantId } = await keyHolderOf(context, options)
      return sending(context, async (deps) => {
        const result = await testWebhook(deps, context.actor, tenantId)
        return `${outcomeOf(result)} It is delivery ${result.deliveryId}.`
      })
    },
  ),

  command(
    'webhook:deliveries',
    'the newest deliveries',
    option('--status <status>', 'of one status alone', STATUSES),
    ...ANY_ACCOUNT,
  ).does(async (context, { status, ...options }) => {
    const endpoint = await findEndpoint(context.db, (await keyHolderOf(context, options)).id)
    if (!endpoint) return 'This account has no endpoint.'
    const { items } = await listDeliveries(context.db, {
      ...{ endpointId: endpoint.id, status: status ?? null, limit: MOST_LISTED },
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
    ...ANY_ACCOUNT,
  ).does(async (context, { since = context.clock.now(), ...options }) => {
    const { id: tenantId } = await keyHolderOf(context, options)
    const count = await recoverDeliveries(context, context.actor, { tenantId, since })
    const more = count < RECOVERED_AT_ONCE ? '' : ' There may be more: give the command again.'
    return `${count} deliveries are sent again now, ten a second.${more}`
  }),

  command('webhook:parked', 'deliveries whose event could not be rendered, of all merchants').does(
    async ({ db }) => {
      const parked = await countParked(db)
      if (parked.length === 0) return 'No delivery is parked.'
      return table(
        parked.map((group) => ({ ...group })),
        ['count', 'oldest', 'eventType', 'reason'],
      )
    },
  ),

  command('webhook:retry-parked', 'try up to 10,000 parked deliveries again').does(
    async (context) =>
      `${await retryParkedDeliveries(context, context.actor)} deliveries wait to be sent.`,
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
