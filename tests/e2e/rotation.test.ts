// Two api processes behind a balancer that asks `/readyz`: what takes one out of rotation, and what does not.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { type Client, createClient } from '../support/client.ts'
import { type Sandbox, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import {
  metricOf,
  newSecretsKey,
  runServer,
  type Server,
  type Settings,
  startServer,
} from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import {
  aBuyer,
  buyRaw,
  type ListingSupply,
  readTrade,
  stock,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

/** Above the time between two heartbeats, and far below a minute. */
const SILENCE_SECONDS = Number(process.env.SILENCE_SECONDS ?? 8)
/** What a later release brings. */
const LATER = [
  {
    name: '9001_later',
    text: '-- bears: previous\nalter table infra.setting add column later integer',
    sha256: 'later',
  },
]
const UNBEARABLE = [
  ...LATER,
  { name: '9002_later', text: '-- bears: none\nselect 1', sha256: 'later still' },
]

describe('two api processes behind a balancer that asks for their readiness', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-rotation-'))
  const secretsKey = newSecretsKey()
  let shared: TestDatabase
  let sandbox: Sandbox
  let settings: Settings
  let apis: Server[]
  let workers: Server[]
  let balancer: Balancer
  let merchant: Client
  let apiKey: string
  let supply: ListingSupply
  before(async () => {
    shared = await testDatabase({ poolSize: 2 })
    sandbox = await startSandbox()
    const { merchant: demo } = await seedDemo({
      db: shared.db,
      clock: systemClock,
      secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
      webhooks: { demoUrl: null, allowPrivate: true },
    })
    settings = {
      ...SMALL_DATASET,
      DATABASE_URL: shared.url,
      DATA_DIR: folder,
      SECRETS_KEY: secretsKey,
      SANDBOX_PORT: String(sandbox.port),
      WORKER_SILENCE_SECONDS: String(SILENCE_SECONDS),
    }
    workers = await Promise.all([startServer('worker', settings), startServer('worker', settings)])
    apis = await Promise.all([
      startServer('api', settings),
      startServer('api', { ...settings, DATABASE_READ_URL: shared.url }),
    ])
    balancer = await startBalancer(apis.map(portOf), { asksReadiness: true })
    apiKey = demo.apiKey
    merchant = createClient({ baseUrl: balancer.url, apiKey })
    await untilStocked(merchant, sandbox.control)
    supply = await stock(sandbox.control, 'market_b')
  })
  after(async () => {
    await balancer?.close()
    await Promise.all([...(apis ?? []), ...(workers ?? [])].map((server) => server.end()))
    await sandbox?.child.end()
    await auditBooks(shared)
    await shared.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('a replica that is the primary is named and not used, and takes no process out of rotation', async () => {
    const [first, api] = apis
    assert.ok(first && api)
    const { status, replica } = await readinessOf(api)
    assert.equal(status, 'ready')
    assert.equal(replica, 'DATABASE_READ_URL and DATABASE_URL lead to the same server')
    assert.equal((await readinessOf(first)).replica, undefined)
    const before = (await metricOf(api, 'tradepost_db_reads_total', PRIMARY)) ?? 0
    await createClient({ baseUrl: api.baseUrl, apiKey }).get('getMerchantStats')
    assert.equal(await metricOf(api, 'tradepost_db_reads_total', PRIMARY), before + 1)
    assert.ok(((await metricOf(api, 'tradepost_db_replica_lag_seconds')) ?? 0) > 0)
  })

  it('serve every request while a later release that bears them is migrated, and may start then', async () => {
    const failures = await whileReading(merchant, async (further) => {
      await further(20)
      await migrate(shared.url, { migrations: [...readMigrations(), ...LATER] })
      for (const api of apis) {
        await until('it sees the newer database', async () => {
          const { status, migrations } = await readinessOf(api)
          return status === 'ready' && migrations === 'ok, database is newer'
        })
        assert.equal(await metricOf(api, 'tradepost_schema_ahead'), 1)
      }
      await further(100)
      apis.push(await startServer('api', settings))
      assert.equal((await readinessOf(apis[2])).migrations, 'ok, database is newer')
      balancer.setTargets(apis.map(portOf))
      await further(100)
    })
    assert.deepEqual(failures, [])
  })

  it('are named, api and worker, to a migration that bears none of them, and it changes nothing', async () => {
    const migrations = [...readMigrations(), ...UNBEARABLE]
    const pids = [...apis, ...workers].map(({ pid }) => pid)
    await assert.rejects(migrate(shared.url, { migrations }), ({ message }: Error) => {
      assert.match(message, /9002_later .*--stop-the-world/)
      for (const pid of pids) assert.match(message, new RegExp(`-${pid}-`))
      return true
    })
    assert.equal((await readinessOf(apis[0])).status, 'ready')
    for (const args of [['--stop-the-wrold'], ['--plan', '--stop-the-world'], ['--plan=x']]) {
      const wrong = await runServer('migrate', settings, args)
      assert.equal(wrong.code, 1)
      assert.match(
        wrong.stderr,
        /^tradepost: npm run migrate takes --plan or --stop-the-world and nothing else/,
      )
    }
    const plan = await runServer('migrate', settings, ['--plan'])
    assert.equal(plan.code, 0, plan.stderr)
    assert.match(plan.stdout, /^Nothing would be applied/m)
    assert.equal((await runServer('migrate', settings, ['--stop-the-world'])).code, 0)
  })

  it('serve every read while no worker lives, refuse buys from the limit on, and take them again', async () => {
    const behalf = await aBuyer(merchant, 'silence', '900.00')
    const first = { raw: [`market_b:${supply.take().id}`], behalf, externalId: 'silence-1' }
    /** The same one again, which is a replay once it is accepted. */
    const buy = () => buyRaw(merchant, first)
    const accepted = (await buy()).data
    assert.ok(accepted)
    // A worker that is killed while it sends may leave an order that the market has never had.
    await until('its order is placed', async () => {
      const { items } = await readTrade(merchant, accepted.id)
      return items.every(({ status }) => status !== 'initiated')
    })
    const failures = await whileReading(merchant, async (further) => {
      await Promise.all([workers[0]?.end('SIGTERM'), workers[1]?.end('SIGKILL')])
      const stoppedAt = performance.now()
      const refused = await until('a buy is refused', async () => {
        const answer = await buy()
        return answer.data === null && answer
      })
      assert.ok(performance.now() - stoppedAt > (SILENCE_SECONDS - 6) * 1000, 'from the limit on')
      assert.deepEqual([refused.status, refused.error?.key], [503, 'SERVICE_DISABLED'])
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      await until('it is degraded, and in rotation', async () => {
        const readiness = await readinessOf(apis[0])
        return readiness.status === 'degraded' && readiness.workers === 'silent: every worker'
      })
      await until('the pause is in the feed', async () => {
        const [newest] = await changesOfTrading(merchant)
        return newest === 'operational > paused'
      })
      await further(100)
      workers.push(await startServer('worker', settings))
      await until('buys are accepted again', async () => (await buy()).data !== null)
    })
    assert.deepEqual(failures, [])
    const changes = await until('the end of the pause is in the feed', async () => {
      const all = await changesOfTrading(merchant)
      return all[0] === 'paused > operational' && all
    })
    const isOnce = changes.every((change, i) => change !== changes[i + 1])
    assert.ok(isOnce, 'one of the processes wrote each change')
    assert.equal((await untilEnded(merchant, accepted.id)).status, 'completed')
  })
})

const PRIMARY = { side: 'primary' }

/** The newest first. */
async function changesOfTrading(merchant: Client): Promise<string[]> {
  const query = { type: 'service.status_changed', limit: 100 } as const
  const { items } = await merchant.get('listMerchantEvents', { query })
  return items
    .filter(({ data }) => data.component === 'trading')
    .map(({ data }) => `${data.previous} > ${data.status}`)
}

const portOf = ({ baseUrl }: Server): number => Number(new URL(baseUrl).port)

/** What `/readyz` says, when it is 200. */
async function readinessOf(
  api: Server | undefined,
): Promise<{ status: string; migrations: string; workers: string; replica?: string }> {
  const response = await fetch(`${api?.baseUrl}/readyz`)
  const { data, error } = (await response.json()) as {
    data: {
      status: string
      checks: { migrations: string; workers: string; replica?: string }
    } | null
    error: unknown
  }
  assert.ok(data, JSON.stringify(error))
  return { status: data.status, ...data.checks }
}

/**
 * Does something while others read on and on, each over a connection of its own, which goes wherever the
 * balancer sends it. What went wrong for them.
 */
async function whileReading(
  client: Client,
  /** `further` resolves after so many more reads. */
  work: (further: (count: number) => Promise<unknown>) => Promise<void>,
): Promise<string[]> {
  let isOver = false
  let count = 0
  const failures: string[] = []
  const readOn = async (): Promise<void> => {
    while (!isOver) {
      await client.call('getWallet', { headers: { connection: 'close' } }).then(
        ({ status }) => status === 200 || failures.push(`status ${status}`),
        (error: Error) => failures.push(String(error.cause ?? error)),
      )
      count++
    }
  }
  const reading = [readOn(), readOn()]
  try {
    await work((more) => {
      const target = count + more
      return until(`${more} more reads`, () => count >= target)
    })
  } finally {
    isOver = true
    await Promise.all(reading)
  }
  return failures
}
