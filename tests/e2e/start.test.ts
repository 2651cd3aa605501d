// `npm start` as an operator meets it: what it refuses, what it leaves behind, what survives.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  findRunningPostgres,
  listRunningFolders,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { isAlive } from '../../apps/server/src/infra/process/processes.ts'
import { readConfig } from '../../apps/server/src/main/config.ts'
import { findAnyDatabase } from '../../apps/server/src/main/find-database.ts'
import { type Child, ROOT, startChild } from '../support/child.ts'
import { until } from '../support/until.ts'

const root = mkdtempSync(join(tmpdir(), 'tradepost-start-'))
const dataDir = join(root, 'data')
const started: Child[] = []
after(async () => {
  for (const child of started) await child.end()
  rmSync(root, { recursive: true })
})

function run(program: string, env: Readonly<Record<string, string>>): Child {
  const child = startChild(join(ROOT, 'apps/server/src/main', program), [], env)
  started.push(child)
  return child
}

const SMALL = { SANDBOX_LISTINGS: '300', SANDBOX_ITEMS: '2000', SANDBOX_CHAINS: 'off' }
const DEMO = { PORT: '0', DATA_DIR: dataDir, ...SMALL }

const ready = (child: Child) => child.line((line) => line.includes('"msg":"ready"') || null)

const readDemo = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

async function call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const { baseUrl, merchant } = readDemo()
  const headers = { 'api-key': merchant.apiKey, ...init.headers }
  const answer = await fetch(baseUrl + path, { ...init, method, headers })
  const { data = {} } = (await answer.json()) as { data?: Answer['data'] }
  return { status: answer.status, data }
}
const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call('GET', path, { headers })

/** A sub-user with money. */
async function fundSubUser(externalId: string, amount: string): Promise<void> {
  const post = (path: string, body: object) =>
    call('POST', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': externalId },
    })
  assert.equal((await post('/merchant/users', { externalId })).status, 200)
  assert.equal((await post(`/merchant/users/${externalId}/fund`, { amount })).status, 200)
}

const balanceOf = async (headers?: Record<string, string>): Promise<unknown> =>
  (await get('/user/wallet', headers)).data.balance

/** Children that the folder knows of: the database and the sandbox. */
function childrenOf(folder: string): number[] {
  const server = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]
  const sandbox = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as { pid: number }
  return [Number(server), sandbox.pid]
}

async function refused(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const attempt = run(program, env)
  assert.equal((await attempt.exited).code, 1)
  const sentence = attempt.stderr()
  assert.equal(sentence.split('\n').length, 1, sentence)
  return sentence
}

/** The demo's people log in with their passwords, and mail arrives at the sandbox over SMTP. */
async function seesTheDashboard(demo: ReturnType<typeof readDemo>): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(`${demo.baseUrl}/dashboard/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(demo.dashboardUrl).origin },
      body: JSON.stringify(body),
    })
  for (const { email, password } of [demo.merchant, demo.partner, demo.admin]) {
    assert.equal((await post('login', { email, password })).status, 200)
  }
  const { email } = demo.merchant
  assert.equal((await post('password/forgot', { email })).status, 200)
  await until('the mail with its link', async () => {
    const answer = await fetch(`${demo.sandboxUrl}/control/mail`)
    const { items } = (await answer.json()) as { items: { body: { to: string[]; text: string } }[] }
    return items.some(
      ({ body }) =>
        body.to.includes(email) && body.text.includes(`${demo.dashboardUrl}/reset-password#token=`),
    )
  })
}

/** From another folder, without a setting; of two that run, none. A folder that is set is the only one. */
function commandsFindItsDatabase(): void {
  const own = join(dataDir, 'postgres')
  assert.ok(listRunningFolders().includes(own))
  const set = readConfig({ DATA_DIR: join(root, 'elsewhere') })
  assert.throws(() => findAnyDatabase(set, () => [own]), /No database runs in DATA_DIR .*elsewhere/)
  const elsewhere = { ...set, isDataDirSet: false }
  const notOne = [join(root, 'tests-of-mine'), join(root, 'ended/postgres')]
  const { url, dataDir: found } = findAnyDatabase(elsewhere, () => [...notOne, own])
  assert.deepEqual([url, found], [findRunningPostgres(own), dataDir])
  assert.throws(() => findAnyDatabase(elsewhere, () => [own, own]), /Several run .* DATA_DIR: /)
  assert.throws(() => findAnyDatabase(elsewhere, () => notOne), /start Tradepost first/)
}

test('a first start makes demo data that answers, and SIGTERM ends it with everything', async () => {
  const first = run('all-in-one.ts', DEMO)
  await ready(first)
  assert.equal(statSync(join(dataDir, 'demo.json')).mode & 0o777, 0o600)
  assert.equal(statSync(join(dataDir, 'secrets.key')).mode & 0o777, 0o600)
  const demo = readDemo()
  assert.deepEqual(shapeOf(demo), {
    baseUrl: 'string',
    metricsUrl: 'string',
    dashboardUrl: 'string',
    docsUrl: 'string',
    sandboxUrl: 'string',
    merchant: { apiKey: 'string', email: 'string', password: 'string', webhookSecret: null },
    partner: {
      ...{ apiKey: 'string', childApiKey: 'string', email: 'string', password: 'string' },
      webhookSecret: null,
    },
    admin: { email: 'string', password: 'string' },
  })
  assert.match(first.stdout(), new RegExp(demo.baseUrl))
  assert.ok((await fetch(demo.docsUrl)).ok)
  assert.ok((await fetch(`${demo.sandboxUrl}/control/state`)).ok)
  assert.equal((await get('/merchant')).status, 200)
  assert.equal(await balanceOf(), 100_000)
  assert.equal((await get('/healthz')).status, 200)
  assert.equal((await get('/readyz')).status, 200)
  assert.equal((await get('/metrics')).status, 404, 'metrics are on their own port alone')
  const measured = await fetch(`${demo.metricsUrl}/metrics`)
  assert.match(measured.headers.get('content-type') ?? '', /^text\/plain/)
  const metrics = await measured.text()
  for (const name of ['job_last_success_seconds', 'market_feed_age_seconds', 'market_online']) {
    assert.ok(metrics.includes(`tradepost_${name}`), `${name} is measured`)
  }
  assert.match(metrics, /tradepost_http_request_seconds_count\{method="GET",route="\/merchant"/)
  assert.match(metrics, /tradepost_items_open|tradepost_backlog\{queue="webhooks"\} 0/)
  const passwords = [demo.merchant, demo.partner, demo.admin].map(({ password }) => password)
  for (const secret of [demo.merchant.apiKey, ...passwords]) {
    assert.ok(!first.stdout().includes(secret), 'a log line shows a secret')
  }

  await seesTheDashboard(demo)
  commandsFindItsDatabase()
  const children = childrenOf(dataDir)
  assert.match(await refused('all-in-one.ts', DEMO), /is in use by another running Tradepost/)
  await fundSubUser('kept', '42.00')
  assert.equal((await first.end('SIGTERM')).code, 0)
  assert.deepEqual(children.map(isAlive), [false, false])
})

test('started again it keeps its keys and its money, after an orderly end and after a kill', async () => {
  const before = readDemo()
  const second = run('all-in-one.ts', DEMO)
  await ready(second)
  const { merchant, partner, admin } = readDemo()
  assert.deepEqual(
    { merchant, partner, admin },
    { merchant: before.merchant, partner: before.partner, admin: before.admin },
  )
  assert.equal(await balanceOf({ 'on-behalf-of': 'kept' }), 42)

  const orphans = childrenOf(dataDir)
  await second.end('SIGKILL')
  assert.deepEqual(orphans.map(isAlive), [true, true], 'children outlive a killed parent')

  const third = run('all-in-one.ts', DEMO)
  await ready(third)
  assert.deepEqual(orphans.map(isAlive), [false, false], 'and are ended by the next start')
  assert.deepEqual(readDemo().merchant, before.merchant)
  assert.equal((await get('/merchant')).status, 200)

  // Both children come back by themselves when they die.
  const [server = 0, sandbox = 0] = childrenOf(dataDir)
  process.kill(server, 'SIGKILL')
  process.kill(sandbox, 'SIGKILL')
  const { sandboxUrl } = readDemo()
  await until('the children are back', async () => {
    const [merchantRead, control] = await Promise.all([
      get('/merchant'),
      fetch(`${sandboxUrl}/control/state`),
    ])
    return merchantRead.status === 200 && control.status === 200
  })
  assert.equal((await third.end('SIGINT')).code, 0)
})

test('a SIGTERM in the middle of a start ends it with exit code 0 and leaves nothing running', async () => {
  const folder = join(root, 'interrupted')
  const attempt = run('all-in-one.ts', { ...DEMO, DATA_DIR: folder })
  await attempt.line((line) => line.includes('creating the database') || null)
  assert.equal((await attempt.end('SIGTERM')).code, 0)
  assert.throws(() => statSync(join(folder, 'lock')), 'the folder is free again')
  assert.throws(() => statSync(join(folder, 'sandbox.json')), 'the sandbox is gone')
})

test('a busy port is reported in one sentence with the setting that names it', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const port = String((taken.address() as AddressInfo).port)
  const isRefused = async (name: string, env: Readonly<Record<string, string>>): Promise<void> =>
    assert.equal(
      await refused('all-in-one.ts', { DATA_DIR: join(root, `busy-${name}`), ...env }),
      `tradepost: ${name} ${port} on 127.0.0.1 is already in use. Set ${name} to a free port.`,
    )
  try {
    await Promise.all([
      isRefused('PORT', { PORT: port }),
      isRefused('METRICS_PORT', { PORT: '0', METRICS_PORT: port }),
      isRefused('SANDBOX_PORT', { PORT: '0', SANDBOX_PORT: port }),
    ])
  } finally {
    taken.close()
  }
})

test('an unreachable database is reported in one sentence, in every role', async () => {
  const env = {
    DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:9/tradepost',
    SECRETS_KEY: '00'.repeat(32),
    ...SMALL,
    PORT: '0',
  }
  const isRefused = async (program: string): Promise<void> => {
    const folder = { DATA_DIR: join(root, `unreachable-${program}`) }
    const sentence = await refused(program, { ...env, ...folder })
    assert.match(sentence, /database at 127\.0\.0\.1:9\/tradepost is unreachable/)
    assert.doesNotMatch(sentence, /hunter2/)
  }
  await Promise.all(['migrate.ts', 'api.ts', 'worker.ts', 'all-in-one.ts'].map(isRefused))
})

test('a role without a database, and a data folder of a newer version, are refused', async () => {
  const folder = join(root, 'newer')
  mkdirSync(folder)
  writeFileSync(join(folder, 'format.json'), '{"format":999}\n')
  const [unset, newer] = await Promise.all([
    refused('api.ts', { DATA_DIR: join(root, 'nothing') }),
    refused('all-in-one.ts', { ...DEMO, DATA_DIR: folder }),
  ])
  assert.match(unset, /DATABASE_URL must be set/)
  assert.match(newer, /was written by a newer version of Tradepost/)
})

function shapeOf(value: unknown): unknown {
  if (value === null) return null
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]))
}
