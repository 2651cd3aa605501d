// The start-up contract, with processes as operators see them: what stops a start, how a stop drains, what
// a data folder keeps, what monitors see, and how several processes share one database.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import { sql } from '../../apps/server/src/infra/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/secrets.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { seedDemo } from '../../apps/server/src/modules/demo/seed.ts'
import { createClient } from '../support/client.ts'
import { MARKETS, type Sandbox, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import {
  metricOf,
  newSecretsKey,
  readDemo,
  runServer,
  type Server,
  type Settings,
  startServer,
} from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { aBuyer, balanceOf, buyNext, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

/** An address where nothing listens. */
const NOWHERE = 'postgres://absent:nothing@127.0.0.1:9/none'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tradepost-process-'))

async function busyPort(): Promise<{ port: number; close(): void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** One sentence for people on stderr, and no stack. */
function assertOneSentence(stderr: string, about: RegExp): void {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0] ?? '', /^tradepost: [A-Z].*[.]$/)
  assert.match(lines[0] ?? '', about)
}

describe('a start that cannot be', () => {
  for (const [what, setting] of [
    ['the port', 'PORT'],
    ['the metrics port', 'METRICS_PORT'],
    ['the sandbox’s port', 'SANDBOX_PORT'],
  ] as const) {
    it(`says that ${what} is busy, with exit code 1`, async () => {
      const busy = await busyPort()
      const folder = newFolder()
      try {
        const { code, stderr } = await runServer('all-in-one', {
          ...SMALL_DATASET,
          SANDBOX_PORT: '0',
          DATA_DIR: folder,
          DATABASE_URL: NOWHERE,
          SECRETS_KEY: newSecretsKey(),
          // The database is there where the port is found out about only after it.
          ...(setting === 'SANDBOX_PORT' ? await database.settings() : {}),
          [setting]: String(busy.port),
        })
        assert.equal(code, 1)
        assertOneSentence(stderr, new RegExp(`${setting}.*${busy.port}.*in use`))
      } finally {
        busy.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }

  for (const role of ['all-in-one', 'api', 'worker'] as const) {
    it(`${role}: says that the database is unreachable, with exit code 1 and no password`, async () => {
      const folder = newFolder()
      try {
        const { code, stderr } = await runServer(role, {
          ...SMALL_DATASET,
          SANDBOX_PORT: '0',
          DATA_DIR: folder,
          DATABASE_URL: NOWHERE,
          SECRETS_KEY: newSecretsKey(),
        })
        assert.equal(code, 1)
        assertOneSentence(stderr, /127\.0\.0\.1:9/)
        assert.ok(!stderr.includes('nothing'), 'the password is not printed')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }

  it('says that the data folder is of a newer version, with exit code 1', async () => {
    const folder = newFolder()
    try {
      writeFileSync(join(folder, 'format.json'), '{"format":999}\n')
      const { code, stderr } = await runServer('all-in-one', { ...SMALL_DATASET, DATA_DIR: folder })
      assert.equal(code, 1)
      assertOneSentence(stderr, /newer version/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('says that the database is newer than itself, with exit code 1', async () => {
    const newer = await testDatabase({ poolSize: 1 })
    const folder = newFolder()
    try {
      const [row] = await newer.db.query<{ table: string }>(
        sql(
          '',
          `select 'infra.' || tablename as table from pg_tables
                 where schemaname = 'infra' and tablename like 'migration%'`,
        ),
      )
      await newer.db.query(
        sql(
          '',
          `insert into ${row?.table} select (m).* from (
          select jsonb_populate_record(m, '{"name": "9999_from_the_future"}') as m
          from ${row?.table} m limit 1) newest`,
        ),
      )
      const { code, stderr } = await runServer('api', {
        DATA_DIR: folder,
        DATABASE_URL: newer.url,
        SECRETS_KEY: newSecretsKey(),
      })
      assert.equal(code, 1)
      assertOneSentence(stderr, /newer/)
    } finally {
      await newer.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('names the setting that has a bad value, and never a secret’s value', async () => {
    const bad = await runServer('api', { PORT: 'http' })
    assert.equal(bad.code, 1)
    assertOneSentence(bad.stderr, /PORT must be/)
    const secret = await runServer('api', { DATABASE_URL: 'mysql://me:hunter2@somewhere/db' })
    assert.equal(secret.code, 1)
    assertOneSentence(secret.stderr, /DATABASE_URL must be/)
    assert.ok(!secret.stderr.includes('hunter2'))
  })
})

/** A migrated database for the starts that get so far. */
const database = {
  opened: null as TestDatabase | null,
  async settings(): Promise<Settings> {
    this.opened ??= await testDatabase({ poolSize: 1 })
    return { DATABASE_URL: this.opened.url }
  },
}
after(() => database.opened?.close())

describe('an installation in a folder, with the embedded database', () => {
  const folder = newFolder()
  const settings: Settings = { ...SMALL_DATASET, SANDBOX_PORT: '0', DATA_DIR: folder }
  let server: Server
  before(async () => {
    server = await startServer('all-in-one', settings)
  })
  after(async () => {
    await server.end()
    rmSync(folder, { recursive: true, force: true })
  })

  it('writes demo.json for its owner alone, with every address and key', async () => {
    const file = join(folder, 'demo.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const demo = readDemo(folder)
    assert.deepEqual(Object.keys(demo), [
      ...['baseUrl', 'metricsUrl', 'dashboardUrl', 'docsUrl', 'sandboxUrl'],
      ...['merchant', 'partner', 'admin'],
    ])
    const { merchant, partner, admin } = demo
    assert.deepEqual(Object.keys(merchant), ['apiKey', 'email', 'password', 'webhookSecret'])
    assert.deepEqual(Object.keys(partner), ['apiKey', 'childApiKey', 'webhookSecret'])
    assert.deepEqual(Object.keys(admin), ['email', 'password'])
    assert.equal(demo.baseUrl, server.baseUrl)
    assert.ok((await fetch(demo.docsUrl)).ok)
    assert.ok((await fetch(`${demo.sandboxUrl}/control/state`)).ok)
    const client = createClient({ baseUrl: demo.baseUrl, apiKey: merchant.apiKey })
    assert.equal(await balanceOf(client), 100_000)
  })

  it('prints the addresses and a first command', () => {
    assert.match(server.stdout(), new RegExp(server.baseUrl))
    assert.match(server.stdout(), /curl|demo\.json/)
  })

  it('is healthy, ready and measured; metrics are on their own port alone', async () => {
    const health = await fetch(`${server.baseUrl}/healthz`)
    assert.equal(health.status, 200)
    await until('it is ready', async () => (await fetch(`${server.baseUrl}/readyz`)).ok, {
      everyMs: 200,
    })
    const metrics = await fetch(`${server.metricsUrl}/metrics`)
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/)
    const text = await metrics.text()
    for (const name of [
      'tradepost_http_request_seconds_bucket',
      'tradepost_job_last_success_seconds',
      'tradepost_market_feed_age_seconds',
      'tradepost_market_online',
    ]) {
      assert.ok(text.includes(name), `${name} is measured`)
    }
    assert.equal((await fetch(`${server.baseUrl}/metrics`)).status, 404)
  })

  it('refuses a second start on the same folder, with exit code 1', async () => {
    const { code, stderr } = await runServer('all-in-one', settings)
    assert.equal(code, 1)
    assertOneSentence(stderr, /in use/)
    assert.ok((await fetch(`${server.baseUrl}/healthz`)).ok, 'the first one goes on')
  })

  it('stops on SIGTERM with exit code 0 and keeps everything for the next start', async () => {
    const before = readDemo(folder)
    const client = createClient({ baseUrl: before.baseUrl, apiKey: before.merchant.apiKey })
    const behalf = await aBuyer(client, 'kept', '42.00')
    assert.equal((await server.end('SIGTERM')).code, 0, server.said())
    server = await startServer('all-in-one', settings)
    const afterwards = readDemo(folder)
    assert.deepEqual(afterwards.merchant, before.merchant)
    assert.deepEqual(afterwards.partner, before.partner)
    assert.deepEqual(afterwards.admin, before.admin)
    const again = createClient({ baseUrl: afterwards.baseUrl, apiKey: before.merchant.apiKey })
    assert.equal(await balanceOf(again, behalf), 42)
    const secrets = [before.merchant.apiKey, before.merchant.password, before.admin.password]
    for (const secret of secrets)
      assert.ok(!server.said().includes(secret), 'logs contain no secret')
  })
})

describe('two api and two worker processes on one database', () => {
  const folder = newFolder()
  const secretsKey = newSecretsKey()
  let shared: TestDatabase
  let sandbox: Sandbox
  let apis: Server[]
  let workers: Server[]
  let apiKey: string
  before(async () => {
    shared = await testDatabase({ poolSize: 2 })
    sandbox = await startSandbox()
    const credentials = await seedDemo({
      db: shared.db,
      clock: systemClock,
      secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
      webhooks: { demoUrl: null, allowPrivate: true },
    })
    apiKey = credentials.merchant.apiKey
    const settings: Settings = {
      ...SMALL_DATASET,
      DATABASE_URL: shared.url,
      DATA_DIR: folder,
      SECRETS_KEY: secretsKey,
      SANDBOX_PORT: String(sandbox.port),
    }
    workers = await Promise.all([startServer('worker', settings), startServer('worker', settings)])
    apis = await Promise.all([startServer('api', settings), startServer('api', settings)])
  })
  after(async () => {
    await Promise.all([...apis, ...workers].map((server) => server.end()))
    await sandbox.child.end()
    await auditBooks(shared)
    await shared.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const clientOf = (i: number) => createClient({ baseUrl: apis[i]?.baseUrl ?? '', apiKey })

  it('share the work: what one api accepts, any worker places and the other api shows', async () => {
    await untilStocked(clientOf(0), sandbox.control)
    const behalf = await aBuyer(clientOf(0), 'shared', '900.00')
    const supplies = await Promise.all(MARKETS.map((market) => stock(sandbox.control, market)))
    const bought = await Promise.all(
      Array.from({ length: 16 }, (_, i) => {
        const market = MARKETS[i % 2] ?? 'market_a'
        const supply = supplies[i % 2]
        assert.ok(supply)
        return buyNext(clientOf(i % 2), { market, supply, behalf })
      }),
    )
    for (const [i, { receipt }] of bought.entries()) {
      assert.equal((await untilEnded(clientOf((i + 1) % 2), receipt.id)).status, 'completed')
    }
    const offers = await sandbox.control.offers()
    assert.equal(new Set(offers.map(({ customId }) => customId)).size, 16)
    assert.equal(offers.length, 16)
    for (const worker of workers) {
      const name = 'tradepost_job_last_success_seconds'
      const placed = await metricOf(worker, name, { job: 'place-orders-market_a' })
      assert.ok(placed !== null && placed > 0, 'both workers look for orders to place')
    }
  })

  it('a request under way is answered when its api is stopped, and the exit code is 0', async () => {
    const { port } = new URL(apis[1]?.baseUrl ?? '')
    const body = JSON.stringify({ externalId: 'drained' })
    // Half of a request: the server has begun with it and waits for the rest.
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.write(
      `POST /merchant/users HTTP/1.1\r\nhost: tradepost\r\napi-key: ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n` +
        body.slice(0, 5),
    )
    await until('the other half is awaited', async () => {
      const rows = await fetch(`${apis[1]?.baseUrl}/healthz`)
      return rows.ok
    })
    const ended = apis[1]?.end('SIGTERM')
    await until('the port is closed', async () => !(await canConnect(Number(port))))
    socket.write(body.slice(5))
    assert.equal((await ended)?.code, 0)
    await until('the answer is whole', () => text.includes('"externalId":"drained"'))
    assert.match(text, /^HTTP\/1\.1 200 /)
    // Its client kept the connection open for more, which must not keep the process.
    assert.doesNotMatch(apis[1]?.said() ?? '', /did not stop in time/)
    const kept = await clientOf(0).get('getSubUser', { params: { id: 'drained' } })
    assert.equal(kept.externalId, 'drained')
  })

  it('a worker that is stopped leaves its work to the other one', async () => {
    assert.equal((await workers[0]?.end('SIGTERM'))?.code, 0)
    const behalf = await aBuyer(clientOf(0), 'left')
    const supply = await stock(sandbox.control, 'market_b')
    const { receipt } = await buyNext(clientOf(0), { market: 'market_b', supply, behalf })
    assert.equal((await untilEnded(clientOf(0), receipt.id)).status, 'completed')
  })

  it('every line of a log is JSON, and names the request that it is about', async () => {
    const { requestId } = await clientOf(0).call('getWallet')
    const line = await until('the request is logged', () =>
      apis[0]
        ?.stdout()
        .split('\n')
        .find((text) => text.includes(requestId)),
    )
    for (const text of apis[0]?.stdout().split('\n') ?? [])
      assert.doesNotThrow(() => JSON.parse(text))
    assert.equal((JSON.parse(line) as { requestId: string }).requestId, requestId)
    assert.ok(!apis[0]?.said().includes(apiKey), 'logs contain no key')
  })
})

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
