// Processes as operators see them: what stops a start, how a stop drains, and how several processes share one
// database. What `npm start` itself refuses, keeps and shows is in start.test.ts.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { openWire } from '../../apps/server/src/infra/testing/wire.ts'
import { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { createClient } from '../support/client.ts'
import { MARKETS, type Sandbox, SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import {
  metricOf,
  newSecretsKey,
  runServer,
  type Server,
  type Settings,
  startServer,
} from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { aBuyer, buyNext, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tradepost-process-'))

/** One sentence for people on stderr, and no stack. */
function assertOneSentence(stderr: string, about: RegExp): void {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0] ?? '', /^tradepost: [A-Z].*[.]$/)
  assert.match(lines[0] ?? '', about)
}

describe('a start that cannot be', () => {
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
      const placed = await metricOf(worker, name, { job_name: 'place-orders-market_a' })
      assert.ok(placed !== null && placed > 0, 'both workers look for orders to place')
    }
  })

  it('an api without its database serves the status that it last knew, also after a start, until it is back', async () => {
    const wire = await openWire(shared.url)
    const own = newFolder()
    const settings: Settings = {
      ...SMALL_DATASET,
      DATABASE_URL: wire.url,
      DATA_DIR: own,
      SECRETS_KEY: secretsKey,
      SANDBOX_PORT: String(sandbox.port),
    }
    let server = await startServer('api', settings)
    try {
      const { baseUrl } = server
      const asked = async (path: string, init: RequestInit = {}) => {
        const answer = await fetch(baseUrl + path, init).catch(() => null)
        return answer && { status: answer.status, text: await answer.text() }
      }
      const shows = async () => {
        const [page, route] = [await asked('/status'), await asked('/market/status')]
        return page?.status === 200 && /As of .*Market A/s.test(page.text) && route?.status === 200
      }
      await until('the status is known', shows)
      await until('it is kept', () => existsSync(join(own, 'status.json')))
      await wire.cut()
      assert.ok(await shows(), 'the database has just gone')
      await server.end()
      const { port } = new URL(baseUrl)
      const starting = startServer('api', { ...settings, PORT: port })
      await until('the status is shown without a database', shows)
      const refusal = { method: 'POST', headers: { 'api-key': apiKey }, body: '{}' }
      const buy = await asked('/market/buy', refusal)
      // Nothing is promised about a request that an earlier process may have accepted.
      assert.deepEqual([buy?.status, /INTERNAL_ERROR/.test(buy?.text ?? '')], [500, true])
      const keyed = await asked('/market/status', { headers: { 'api-key': apiKey } })
      assert.equal(keyed?.status, 503, 'no key can be looked up')
      assert.equal((await asked('/readyz'))?.status, 503)
      await wire.restore()
      server = await starting
      await until('it is ready', async () => (await asked('/readyz'))?.status === 200)
    } finally {
      await server.end()
      await wire.close()
      rmSync(own, { recursive: true, force: true })
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
