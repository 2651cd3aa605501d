// `npm run drill:image`: builds the image, starts its roles with a root that cannot be written to, buys, and
// stops them. What they refuse is tried too. Everything that it makes is gone when it ends.
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { seedDemo } from '../../apps/server/src/main/demo/seed.ts'
import { replaceRegion } from '../../tools/generated.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { jsonLine, ROOT } from '../support/child.ts'
import { type Client, createClient } from '../support/client.ts'
import { createSay, createShutdown } from '../support/long-run.ts'
import { SMALL_DATASET, startSandbox } from '../support/sandbox.ts'
import { newSecretsKey } from '../support/server.ts'
import { aBuyer, tradeUrl, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { buildImage, type Image } from './build.ts'
import {
  type Contained,
  prepareRoot,
  type StartOptions,
  startContained,
  whyNotContained,
} from './contained.ts'
import { noPodman, startByPodman } from './podman.ts'

const { values } = readOptions({
  name: 'npm run drill:image',
  about: 'Builds the image, and starts each of its roles as a container runtime does.',
  options: {
    base: {
      kind: 'text',
      of: 'image',
      about: 'with npm; without it one of this machine’s programs',
    },
    unhurried: {
      kind: 'flag',
      about: 'shows how long the api takes to start, and fails by nothing but what is wrong',
    },
    podman: { kind: 'flag', about: 'starts them by podman' },
    require: { kind: 'flag', about: 'ends with 1 where it cannot be run' },
    write: {
      kind: 'flag',
      about: 'writes what it measured into docs/containers.md, where nothing is broken',
    },
  },
})
if (values.podman && values.write)
  refuseUse('--write takes no --podman: how long podman copies the image is not its start.')
const cannot = [
  process.platform !== 'linux' && 'it needs Linux',
  process.getuid?.() !== 0 && 'it needs root, to mount',
  spawnSync('buildah', ['--version']).error &&
    'buildah is missing (Debian: apt-get install buildah)',
  values.podman && noPodman,
  whyNotContained(),
].find((reason) => typeof reason === 'string')
if (cannot !== undefined) {
  console.log(`skipped: ${cannot}`)
  process.exit(values.require ? 1 : 0)
}

const MOST_BYTES = 350_000_000
const API_STARTS_IN_MS = 10_000
const USER = 1000
const MOST_DOLLARS = 50
const SECRETS = '/var/lib/tradepost/secrets'

const start = values.podman ? startByPodman : startContained
const say = createSay()
const folder = mkdtempSync(join(tmpdir(), 'tradepost-image-'))
const shutdown = createShutdown({ mostMinutes: 40 })
const { end, signal } = shutdown
shutdown.steps.push(() =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
)
const broken: string[] = []
const check = (holds: boolean, promise: string): void => {
  say(`${holds ? 'ok' : 'BROKEN'}: ${promise}`)
  if (!holds) broken.push(promise)
}

/** A folder that the user of the image may write to, with the secrets as files. */
function makeData(name: string, secrets: Readonly<Record<string, string>>): string {
  const data = join(folder, name)
  mkdirSync(join(data, 'secrets'), { recursive: true })
  for (const [file, text] of Object.entries(secrets)) {
    const path = join(data, 'secrets', file)
    writeFileSync(path, text, { mode: 0o600 })
    chownSync(path, USER, USER)
  }
  for (const path of [data, join(data, 'secrets')]) chownSync(path, USER, USER)
  return data
}

const untilReady = (process: Contained): Promise<unknown> =>
  process.line((line) => (jsonLine(line)?.msg === 'ready' ? true : null))

async function drill(): Promise<void> {
  say(values.base ? `building on ${values.base}` : 'building on this machine’s programs')
  const image = await buildImage({ folder, base: values.base ?? null, signal })
  prepareRoot(image)
  const megabytes = (image.bytes / 1e6).toFixed(0)
  check(image.bytes <= MOST_BYTES, `the image has ${megabytes} MB, at most ${MOST_BYTES / 1e6}`)

  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  shutdown.steps.push(() => postgres.stop())
  const sandbox = await startSandbox({ SANDBOX_DATA_DIR: join(folder, 'sandbox') })
  shutdown.steps.push(() => sandbox.child.end())
  const secretsKey = newSecretsKey()
  const data = makeData('data', {
    'database-url': postgres.url,
    'secrets-key': secretsKey,
    'market-a-key': 'sandbox-market-a',
    'market-b-key': 'sandbox-market-b',
  })
  const port = await findFreePort()
  const env = {
    DATABASE_URL_FILE: `${SECRETS}/database-url`,
    SECRETS_KEY_FILE: `${SECRETS}/secrets-key`,
    MARKET_A_URL: `${sandbox.url}/market-a`,
    MARKET_A_KEY_FILE: `${SECRETS}/market-a-key`,
    MARKET_B_URL: `${sandbox.url}/market-b`,
    MARKET_B_KEY_FILE: `${SECRETS}/market-b-key`,
    CATALOG_URL: `${sandbox.url}/catalog/public/en/`,
    PLATFORM_URL: `${sandbox.url}/platform`,
    PLATFORM_API_URL: `${sandbox.url}/platform/api`,
    FX_URL: `${sandbox.url}/fx/stats/eurofxref/eurofxref-daily.xml`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    HOLD_SECONDS: SMALL_DATASET.HOLD_SECONDS,
    FOLLOW_INTERVAL_MS: '200',
    PORT: String(port),
    HOST: '127.0.0.1',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
  }
  const startRole = (
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Contained => start(image, { args, env: { ...env, ...more }, data })

  await refusals(image, { env, data })
  const migrated = startRole(['migrate'])
  check((await migrated.exited).code === 0, `migrate ends with 0: ${lastLine(migrated)}`)
  const db = openDb({ url: postgres.url, poolSize: 2, applicationName: 'tradepost drill' })
  shutdown.steps.push(() => db.close())
  const demo = await seedDemo({
    db,
    clock: systemClock,
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    webhooks: { demoUrl: null, allowPrivate: true },
  })
  const worker = startRole(['worker'], { METRICS_PORT: String(await findFreePort()) })
  shutdown.steps.push(() => worker.end())
  await untilReady(worker)
  const startedAt = performance.now()
  const api = startRole(['api'])
  shutdown.steps.push(() => api.end())
  await untilReady(api)
  const tookMs = performance.now() - startedAt
  check(
    values.unhurried || tookMs <= API_STARTS_IN_MS,
    `the api starts in ${(tookMs / 1000).toFixed(1)} s, at most ${API_STARTS_IN_MS / 1000}`,
  )
  check(await api.isHealthy(), 'the health check of the image finds the api well')
  check(await worker.isHealthy(), 'and the worker')
  const merchant = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: demo.merchant.apiKey,
  })
  const trade = await untilEnded(merchant, (await buyFirst(merchant)).id)
  check(trade.status === 'completed', `the first buy is ${trade.status}`)
  await signer(image)
  const listed = startRole(['ops', 'market-health'])
  check((await listed.exited).code === 0, `ops ends with 0: ${lastLine(listed)}`)
  for (const [name, contained] of Object.entries({ api, worker })) {
    const { code } = await contained.end('SIGTERM')
    check(code === 0, `SIGTERM ends the ${name}, its process 1, with ${code}`)
  }
  if (values.write && broken.length === 0) write(image, tookMs)
}

function write(image: Image, tookMs: number): void {
  const path = join(ROOT, 'docs/containers.md')
  const text =
    `\`npm run drill:image -- --write\` measured an image of ${(image.bytes / 1e6).toFixed(0)} MB, whose api was ` +
    `ready after ${(tookMs / 1000).toFixed(1)} seconds on ${cpus().length} processors ` +
    `(${cpus()[0]?.model.trim() ?? 'unknown'}).`
  writeFileSync(path, replaceRegion(readFileSync(path, 'utf8'), 'measured', text))
}

/** Whatever is for sale first: at the paces of production a market is not read at once. */
async function buyFirst(merchant: Client): Promise<{ readonly id: string }> {
  const behalf = await aBuyer(merchant, 'image')
  return until(
    'the first buy is accepted',
    async () => {
      const { items } = await merchant.get('listPrices', { query: { limit: -1 } })
      const item = items.find(({ price }) => price !== undefined && price.standard < MOST_DOLLARS)
      if (item === undefined) return null
      const body = {
        itemId: item.id,
        amount: 1,
        maxPrice: MOST_DOLLARS.toFixed(2),
        delivery: 'standard',
        tradeUrl: tradeUrl(),
        externalId: 'image-1',
      }
      const { data, error } = await merchant.call('quickBuy', { behalf, body })
      if (error) throw new Error(error.key)
      return data
    },
    { everyMs: 500 },
  )
}

const lastLine = ({ said }: Contained): string => said().split('\n').at(-1) ?? ''

/** What keeps a role from starting is one sentence and exit code 1. */
async function refusals(
  image: Image,
  { env, data }: { readonly env: Readonly<Record<string, string>>; readonly data: string },
): Promise<void> {
  mkdirSync(join(data, 'closed'), { mode: 0o755 })
  const cases: readonly (readonly [string, StartOptions])[] = [
    ['a wrong role', { args: ['apy'], env, data }],
    [
      'a missing secret',
      { args: ['api'], env: { ...env, SECRETS_KEY_FILE: `${SECRETS}/none` }, data },
    ],
    [
      'a data folder that cannot be written to',
      { args: ['worker'], env: { ...env, DATA_DIR: '/var/lib/tradepost/closed' }, data },
    ],
    [
      'a root that cannot be written to',
      { args: ['worker'], env: { ...env, DATA_DIR: '/srv/data' }, data },
    ],
  ]
  for (const [what, options] of cases) {
    const contained = start(image, options)
    const { code } = await contained.exited
    const lines = contained.stderr().split('\n')
    const isSentence = lines.length === 1 && /^tradepost: [A-Z/a-z].*\.$/.test(lines[0] ?? '')
    check(code === 1 && isSentence, `${what} ends with ${code}: ${contained.said()}`)
  }
}

async function signer(image: Image): Promise<void> {
  const data = makeData('signer-data', {})
  mkdirSync(join(data, 'signer'), { mode: 0o700 })
  chownSync(join(data, 'signer'), USER, USER)
  const run = (...args: readonly string[]): Contained =>
    start(image, { args: ['signer', ...args], env: {}, data })
  const made = run('init')
  check((await made.exited).code === 0, 'the signer makes a seed')
  const policy = join(data, 'signer/policy.json')
  writeFileSync(policy, JSON.stringify({ chains: {} }))
  chownSync(policy, USER, USER)
  const running = run()
  shutdown.steps.push(() => running.end())
  await running.line((line) => (jsonLine(line)?.event === 'ready' ? true : null))
  const { code } = await running.end('SIGTERM')
  check(code === 0, `SIGTERM ends the signer, its process 1, with ${code}`)
}

try {
  await drill()
  say(`${broken.length} promises broken`)
  await end(broken.length === 0 ? 0 : 1)
} catch (error) {
  await shutdown.fail(error)
}
