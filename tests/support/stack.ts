// The whole service as `npm start` runs it, on a database of its own, with the sandbox as its child.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import type { TestDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { type Client, createClient } from './client.ts'
import { type Control, controlOf, MARKETS, SMALL_DATASET } from './sandbox.ts'
import {
  type Demo,
  newSecretsKey,
  ops,
  readDemo,
  type Server,
  type Settings,
  startServer,
} from './server.ts'
import { until } from './until.ts'
import { startWebhooks, type Webhooks } from './webhooks.ts'

export interface Stack {
  /** The demo merchant. */
  readonly merchant: Client
  readonly control: Control
  readonly webhooks: Webhooks
  readonly demo: Demo
  readonly database: TestDatabase
  server(): Server
  ops(...args: string[]): Promise<string>
  /** Stops the service and starts it again on the same data; `between` runs while it is stopped. */
  restart(between?: () => Promise<void>): Promise<void>
  /** No audit of ledger or trades has anything to say. */
  auditBooks(): Promise<void>
  close(): Promise<void>
}

/** Of this checkout or of the one in `root`. The database is closed with the stack. */
export async function startStack(
  database: TestDatabase,
  settings: Settings = {},
  { root }: { readonly root?: string } = {},
): Promise<Stack> {
  const from = root === undefined ? {} : { root }
  const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-e2e-'))
  let demo: Demo | null = null
  const webhooks = await startWebhooks(() => demo?.merchant.webhookSecret ?? '')
  const environment: Settings = {
    ...SMALL_DATASET,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRETS_KEY: newSecretsKey(),
    SANDBOX_PORT: '0',
    WEBHOOK_URL: webhooks.url,
    ...settings,
  }
  const giveUp = async (error: unknown): Promise<never> => {
    await webhooks.close()
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
    throw error
  }
  let server = await startServer('all-in-one', environment, from).catch(giveUp)
  const opened = readDemo(dataDir)
  demo = opened
  const stack = {
    merchant: createClient({ baseUrl: opened.baseUrl, apiKey: opened.merchant.apiKey }),
    control: controlOf(opened.sandboxUrl),
    demo: opened,
  }
  await untilStocked(stack.merchant, stack.control).catch(async (error: unknown) => {
    await server.end('SIGTERM')
    return giveUp(error)
  })

  return {
    ...stack,
    webhooks,
    database,
    server: () => server,
    ops: (...args) =>
      ops({ ...environment, SANDBOX_PORT: new URL(opened.sandboxUrl).port }, ...args),
    restart: async (between) => {
      const { code } = await server.end('SIGTERM')
      assert.equal(code, 0, `the service stops with exit code 0:\n${server.said()}`)
      await between?.()
      const port = (url: string): string => new URL(url).port
      server = await startServer(
        'all-in-one',
        {
          ...environment,
          PORT: port(opened.baseUrl),
          METRICS_PORT: port(opened.metricsUrl),
          SANDBOX_PORT: port(opened.sandboxUrl),
        },
        from,
      )
    },
    auditBooks: () => auditBooks(database),
    close: async () => {
      const { code } = await server.end('SIGTERM')
      await webhooks.close()
      try {
        await auditBooks(database)
      } finally {
        await database.close()
        rmSync(dataDir, { recursive: true, force: true })
      }
      assert.equal(code, 0, `the service stops with exit code 0:\n${server.said()}`)
    },
  }
}

const MARKET_STATE = sql(
  'test_market_state',
  'select to_jsonb(m) state from catalog.market m where id = $1',
)
const LINES_OF_A_MARKET = 20

/** For the message of a failure: what is recorded of a market, and what the service logged of it last. */
export async function explainMarket(stack: Stack, market: string): Promise<string> {
  const [row] = await stack.database.db.query<{ state: unknown }>(MARKET_STATE, [market])
  const logged = stack
    .server()
    .stdout()
    .split('\n')
    .filter((line) => line.includes(market))
  return [JSON.stringify(row?.state), ...logged.slice(-LINES_OF_A_MARKET)].join('\n')
}

const AUDIT_LEDGER = sql('test_audit_ledger', 'select invariant, detail from ledger.audit()')
const AUDIT_TRADES = sql('test_audit_trades', 'select invariant, detail from trades.audit()')
const AUDIT_BUYS = sql('test_audit_buys', 'select invariant, detail from buying.audit()')
const AUDIT_SELLS = sql('test_audit_sells', 'select invariant, detail from selling.audit()')

const AUDIT_DEPOSITS = sql('test_audit_deposits', 'select invariant, detail from deposits.audit()')

export async function auditBooks({ db }: Pick<TestDatabase, 'db'>): Promise<void> {
  assert.deepEqual(await db.query(AUDIT_LEDGER), [], 'the ledger keeps its promises')
  assert.deepEqual(await db.query(AUDIT_TRADES), [], 'the trades keep theirs')
  assert.deepEqual(await db.query(AUDIT_BUYS), [], 'the buys keep theirs')
  assert.deepEqual(await db.query(AUDIT_SELLS), [], 'the sells theirs')
  assert.deepEqual(await db.query(AUDIT_DEPOSITS), [], 'and the deposits theirs')
}

/**
 * A market does not sell all that it lists: some copies are locked for days. One in a hundred is on average,
 * and of what is new while prices change it may be more.
 */
const FOR_SALE_SHARE = 0.97

/** The process that answers shows what both markets have for sale, to the end of their lists. */
export async function untilStocked(merchant: Client, control: Control): Promise<void> {
  const isStocked = async (): Promise<boolean> => {
    const { markets } = await control.state()
    const listed = MARKETS.reduce((sum, market) => sum + markets[market].listings, 0)
    const { items } = await merchant.get('listPrices', { query: { limit: -1 } })
    const shown = items.reduce((sum, { listingsCount }) => sum + listingsCount, 0)
    if (shown >= listed * FOR_SALE_SHARE) return true
    throw new Error(`it shows ${shown} of ${listed} listings`)
  }
  await until('both markets are for sale', isStocked, { everyMs: 250 })
}
