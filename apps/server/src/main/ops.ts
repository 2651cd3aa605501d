// The operator's command line, until the dashboard has pages for it: `npm run ops -- <command>`.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TIER_BUDGETS, TIERS } from '@tradepost/contract'
import { createCatalog } from '#catalog'
import { findMerchantId, setTier } from '#identity'
import { CannotStart } from '#infra/cannot-start'
import { systemClock } from '#infra/clock'
import { type Db, openDb } from '#infra/db'
import { findRunningPostgres } from '#infra/postgres'
import { Refusal } from '#kernel/refusal'
import { pauseTrading, resumeTrading } from '#trades'
import {
  findEndpoint,
  isPublicAddress,
  listDeliveries,
  OVERLAP_HOURS,
  recover,
  resend,
  rotateSecret,
  setEndpoint,
} from '#webhooks'
import { MARKETS } from '../providers/markets.ts'
import { createWebhookSender } from '../providers/webhook-sender/index.ts'
import { type Config, readConfig } from './config.ts'
import { cases } from './ops/cases.ts'
import { marketHealth } from './ops/market-health.ts'
import { selling } from './ops/selling.ts'
import { trade } from './ops/trade.ts'
import { type Invocation, Usage, usage } from './ops/usage.ts'
import { openSecretBox } from './sealing-key.ts'
import { createRender } from './webhook-news.ts'

const MARKET_NAMES = MARKETS.map(({ id }) => id).join(' or ')

const USAGE = `npm run ops -- <command>

  webhook:set <url>                 set a merchant's endpoint and enable it; a new one's secret is shown once
  webhook:rotate [--overlap 24]     a new secret; the old one signs beside it for 0, 1, 24 or 72 hours
  webhook:deliveries [--status s]   the newest deliveries: pending, retrying, delivered, exhausted, skipped
  webhook:resend <delivery id>      send one again now, under its own webhook-id
  webhook:recover --since <time>    send again what was skipped or ran out of retries since then
  trading:pause --reason <text>     refuse every new buy with SERVICE_DISABLED
  trading:resume --reason <text>
  market:enable <market>            ${MARKET_NAMES}
  market:disable <market>
  tier:set <tier>                   how much a merchant may ask: standard, premium or enterprise
  cases list [--state s] [--kind k] what an operator must look at; --state is open, resolved or all
  cases show <id>                   one of them, with its log
  cases resolve <id> --reason <text> [--by <name>]
  market-health                     who serves each market, what waits there, whether that is well
  trade <id>                        everything that happened to a trade, or to the trade of an item

  selling policy                    what the bots pay: bounds, bands by liquidity, exceptions
  selling set [--buying yes|no] [--least <USD>] [--most <USD>]
  selling band <sales a day> --discount <percent> | --clear
  selling item <id or name> [--phase p] --discount <percent> | --price <USD> | --refuse | --clear  --reason <text>
  selling stock [--state s]         what they bought; --state is protected, owned, returned or all

  --json                            cases, trade, selling and market-health as JSON
  --merchant <id or e-mail>         whose webhooks or tier; without it, the only merchant there is`

interface Context extends Invocation {
  readonly db: Db
  readonly config: Config
}

const commands: Record<string, (context: Context) => Promise<string>> = {
  'webhook:set': async (context) => {
    const url = context.argument ?? usage('webhook:set needs a URL')
    const { endpoint, secret } = await setEndpoint(endpointDeps(context), {
      merchantId: await merchantOf(context),
      url,
    })
    return secret === null
      ? `${endpoint.url} is set and enabled; its secret stays the same.`
      : `${endpoint.url} is set and enabled. Its secret, shown this once: ${secret}`
  },

  'webhook:rotate': async (context) => {
    const hours = Number(context.options.overlap ?? 24)
    const overlapHours = OVERLAP_HOURS.find((choice) => choice === hours)
    if (overlapHours === undefined) return usage(`--overlap is one of ${OVERLAP_HOURS.join(', ')}`)
    const merchantId = await merchantOf(context)
    const secret = await rotateSecret(endpointDeps(context), { merchantId, overlapHours })
    return `The new secret, shown this once: ${secret}`
  },

  'webhook:deliveries': async (context) => {
    const endpoint = await findEndpoint(context.db, await merchantOf(context))
    if (!endpoint) return 'This merchant has no endpoint.'
    const deliveries = await listDeliveries(context.db, {
      endpointId: endpoint.id,
      status: context.options.status ?? null,
      cursor: null,
      limit: 50,
    })
    const rows = deliveries.map((delivery) =>
      [
        delivery.id,
        delivery.createdAt.toISOString(),
        delivery.eventType.padEnd(16),
        delivery.status.padEnd(9),
        `${delivery.attempts} attempts`,
        delivery.lastError ?? '',
      ].join('  '),
    )
    return [`${endpoint.url} (${endpoint.status})`, ...rows].join('\n')
  },

  'webhook:resend': async (context) => {
    const deliveryId = context.argument ?? usage('webhook:resend needs a delivery id')
    const sender = createWebhookSender({
      allowPrivate: context.config.webhooks.allowPrivate,
      isPublicAddress,
    })
    try {
      const result = await resend(
        { ...endpointDeps(context), sender, render: createRender(context.db) },
        { merchantId: await merchantOf(context), deliveryId },
      )
      return result.delivered ? `Delivered: ${result.status}.` : `Not delivered: ${result.error}.`
    } finally {
      await sender.close()
    }
  },

  'webhook:recover': async (context) => {
    const since = new Date(context.options.since ?? usage('webhook:recover needs --since'))
    if (Number.isNaN(since.getTime()))
      return usage('--since is a time such as 2026-11-21T08:00:00Z')
    const merchantId = await merchantOf(context)
    const count = await recover({ db: context.db, clock: systemClock }, { merchantId, since })
    return `${count} deliveries wait to be sent again.`
  },

  'trading:pause': async ({ db, options }) => {
    const reason = options.reason ?? usage('trading:pause needs --reason')
    await pauseTrading(db, systemClock, reason)
    return 'Trading is paused: new buys are refused, trades under way go on.'
  },

  'trading:resume': async ({ db, options }) => {
    const reason = options.reason ?? usage('trading:resume needs --reason')
    await resumeTrading(db, systemClock, reason)
    return 'Trading goes on.'
  },

  cases,
  trade,
  'market-health': marketHealth,
  selling,

  'market:enable': (context) => switchMarket(context, true),
  'market:disable': (context) => switchMarket(context, false),

  'tier:set': async (context) => {
    const tier = TIERS.find((name) => name === context.argument)
    if (tier === undefined) return usage(`tier:set needs one of ${TIERS.join(', ')}`)
    const merchantId = await merchantOf(context)
    const at = systemClock.now()
    await context.db.transaction((tx) => setTier(tx, merchantId, tier, at))
    return `The merchant is ${tier}: ${TIER_BUDGETS[tier]} tokens a minute.`
  },
}

async function switchMarket({ db, argument }: Context, enabled: boolean): Promise<string> {
  const market = MARKETS.find(({ id }) => id === argument)
  if (!market) return usage(`name ${MARKET_NAMES}`)
  await createCatalog({ db, clock: systemClock }).setMarketEnabled(market.id, enabled)
  return `${market.id} is ${enabled ? 'on' : 'off'}.`
}

const endpointDeps = ({ db, config }: Context) => ({
  db,
  clock: systemClock,
  secrets: openSecretBox(config, { mayMake: false }),
  allowPrivate: config.webhooks.allowPrivate,
})

async function merchantOf({ db, options }: Context): Promise<string> {
  const merchantId = await findMerchantId(db, options.merchant ?? null)
  return merchantId ?? usage('name one merchant with --merchant <id or e-mail>')
}

function readInvocation(): Invocation {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        merchant: { type: 'string' },
        overlap: { type: 'string' },
        status: { type: 'string' },
        since: { type: 'string' },
        reason: { type: 'string' },
        state: { type: 'string' },
        kind: { type: 'string' },
        by: { type: 'string' },
        json: { type: 'boolean' },
        buying: { type: 'string' },
        least: { type: 'string' },
        most: { type: 'string' },
        discount: { type: 'string' },
        price: { type: 'string' },
        phase: { type: 'string' },
        refuse: { type: 'boolean' },
        clear: { type: 'boolean' },
      },
    })
    const [command = '', argument, ...more] = positionals
    const most = command === 'cases' || command === 'selling' ? 1 : 0
    if (more.length > most) return usage(`“${more.slice(most).join(' ')}” is too much`)
    return { command, argument, more, options: values }
  } catch (error) {
    return usage(error instanceof Error ? error.message : 'bad arguments')
  }
}

function databaseUrl(config: Config): string {
  const url = config.database.url?.reveal() ?? findRunningPostgres(join(config.dataDir, 'postgres'))
  if (url) return url
  throw new CannotStart(
    'No DATABASE_URL is set and no embedded database runs: start Tradepost first.',
  )
}

async function main(): Promise<string> {
  const invocation = readInvocation()
  const command = commands[invocation.command] ?? usage('which command?')
  const config = readConfig()
  const db = openDb({ url: databaseUrl(config), poolSize: 2, applicationName: 'tradepost-ops' })
  try {
    return await command({ ...invocation, db, config })
  } finally {
    await db.close()
  }
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  process.exitCode = 1
  if (error instanceof Usage) process.stderr.write(`${error.message}\n\n${USAGE}\n`)
  else if (error instanceof Refusal) {
    process.stderr.write(`Refused: ${error.key} ${JSON.stringify(error.facts ?? {})}\n`)
  } else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
