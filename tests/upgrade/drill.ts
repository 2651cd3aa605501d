// `npm run drill:upgrade`: two api and two worker processes of the release before serve a merchant; the database
// is migrated by this release, the processes are replaced one by one, and once back again. Not one request
// fails meanwhile. Everything that it makes is gone when it ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { bearsOf, readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { findFreePort } from '../../apps/server/src/infra/process/ports.ts'
import { noValkey } from '../../apps/server/src/infra/testing/valkey-server.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { find } from '../failover/programs.ts'
import { diceOf } from '../faults/killer.ts'
import { openUsers, startTraffic, type Traffic } from '../soak/traffic.ts'
import { ROOT } from '../support/child.ts'
import { createClient } from '../support/client.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { createSay, newSeed, SEED } from '../support/long-run.ts'
import { SMALL_DATASET } from '../support/sandbox.ts'
import { runServer, type Server } from '../support/server.ts'
import { untilStocked } from '../support/stack.ts'
import { until } from '../support/until.ts'
import { startWebhooks } from '../support/webhooks.ts'
import { startHaProxy } from './balancer.ts'
import { judge } from './judge.ts'
import { findCommit, installRelease, releaseBefore } from './release.ts'
import { startFollowers } from './sockets.ts'
import { CHAIN, fillCustody, startBackend, startSigner, startWithdrawals } from './withdrawals.ts'

const { values } = readOptions({
  name: 'npm run drill:upgrade',
  about: 'Upgrades an installation under load from another release to this one, and back.',
  options: {
    from: {
      kind: 'text',
      of: 'tag or commit',
      about: 'the newest tag, or before the first one what the last change of the schema followed',
    },
    requests: {
      kind: 'whole',
      byDefault: 20,
      from: 1,
      to: 10_000,
      about: 'acknowledged trades between two steps',
    },
    seed: SEED,
    require: { kind: 'flag', about: 'ends with 1 where a program is missing' },
  },
})
const from = values.from ?? (await releaseBefore())
const commit = await findCommit(from)
if (commit === null) refuseUse(`--from needs a tag or a commit of this repository, not “${from}”.`)
const haproxy = find('haproxy')
const missing = [haproxy === null && 'haproxy', noValkey !== false && 'redis-server'].filter(
  Boolean,
)
if (haproxy === null || missing.length > 0) {
  console.log(`skipped: missing ${missing.join(' and ')} (Debian: apt-get install)`)
  process.exit(values.require ? 1 : 0)
}

/** Whatever hangs. */
const MOST_MS = 40 * 60_000
/** Of the users, these are followed by sockets. */
const FOLLOWED = 3
const USERS = 12

const say = createSay()
const folder = mkdtempSync(join(tmpdir(), 'tradepost-upgrade-'))
const stopping = new AbortController()
const ending: (() => unknown)[] = [
  () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
]
const end = async (code: number): Promise<never> => {
  stopping.abort()
  for (let step = ending.pop(); step; step = ending.pop()) await step()
  process.exit(code)
}
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void end(130))
setTimeout(() => {
  console.error(`it took longer than ${MOST_MS / 60_000} minutes`)
  void end(1)
}, MOST_MS).unref()

async function drill(): Promise<void> {
  say(`installing the release before, ${from}`)
  const before = await installRelease(commit ?? '', { folder, signal: stopping.signal })
  const later = readMigrations().filter(({ name }) => !before.migrations.has(name))
  const unbearable = later.find((migration) => bearsOf(migration) === 'none')
  if (unbearable) {
    say(`skipped: ${unbearable.name} bears no older process, so this upgrade stops the service`)
    await end(0)
  }
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), maxConnections: 200 })
  ending.push(() => postgres.stop())
  const settings = { DATABASE_URL: postgres.url }
  const first = await runServer('migrate', settings, [], before.root)
  if (first.code !== 0) throw new Error(`the release before does not migrate: ${first.stderr}`)
  const db = openDb({ url: postgres.url, poolSize: 3, applicationName: 'tradepost drill' })
  ending.push(() => db.close())

  let secret: string | null = ''
  const webhooks = await startWebhooks(() => secret ?? '')
  ending.push(webhooks.close)
  const backend = await startBackend()
  ending.push(backend.close)
  const signer = await startSigner(before.root)
  ending.push(signer.close)
  const ports = [await findFreePort(), await findFreePort()] as const
  const cluster = await startCluster({
    database: { url: postgres.url, db },
    ...{ apis: 0, workers: 0, webhookUrl: webhooks.url, payoutCallbackUrl: backend.url },
    seed: before.seed,
    dataset: {
      ...SMALL_DATASET,
      SANDBOX_LISTINGS: '5000',
      SANDBOX_CHANGES_PER_SECOND: '2',
      SANDBOX_CHAINS: CHAIN,
      SANDBOX_DATA_DIR: join(folder, 'sandbox'),
    },
    settings: {
      SIGNER_SOCKET: signer.socketPath,
      DEPOSIT_XPUB: await signer.depositXpub(),
      // The balancer asks from here.
      TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  ending.push(cluster.close)
  secret = cluster.demo.merchant.webhookSecret
  const places: Place[] = [
    { role: 'worker', start: (root) => cluster.startWorker({}, root) },
    { role: 'worker', start: (root) => cluster.startWorker({}, root) },
    ...ports.map(
      (port): Place => ({
        role: 'api',
        start: (root) => cluster.startApi({ PORT: String(port) }, root),
      }),
    ),
  ]
  const running = await Promise.all(places.map(({ start }) => start(before.root)))
  const balancer = await startHaProxy(haproxy ?? '', { folder, apis: ports })
  ending.push(balancer.stop)
  const merchant = createClient({ baseUrl: balancer.url, apiKey: cluster.demo.merchant.apiKey })
  await untilStocked(merchant, cluster.sandbox.control)
  await fillCustody(merchant, cluster.sandbox.control)

  const seed = values.seed ?? newSeed()
  const users = await openUsers({ merchant, sandbox: cluster.sandbox }, USERS)
  const followers = await startFollowers(
    merchant,
    users.slice(0, FOLLOWED).map(({ name }) => name),
  )
  ending.push(followers.stop)
  const installation = { merchant, db, apis: { baseUrls: () => [balancer.url] } }
  const traffic = startTraffic(installation, users, { throwDice: diceOf(seed), isPrompt: true })
  const withdrawals = startWithdrawals(merchant)
  say(`two api and two worker processes serve, seed ${seed}`)
  const ends: string[] = []
  await untilTraded(traffic)

  const migrated = await runServer('migrate', settings)
  if (migrated.code !== 0) throw new Error(`this release does not migrate: ${migrated.stderr}`)
  say(`migrated: ${later.map(({ name }) => name).join(', ') || 'nothing'}`)
  await untilTraded(traffic)
  const replaceAll = async (order: readonly number[], root: string, what: string) => {
    for (const i of order) {
      const place = places[i] as Place
      const { code } = await (running[i] as Server).end('SIGTERM')
      if (code !== 0) ends.push(`${place.role} ${i} ended with ${code}:\n${running[i]?.said()}`)
      running[i] = await place.start(root)
      say(`${place.role} ${i} is ${what}`)
      await untilTraded(traffic)
    }
  }
  // Workers first; on the way back they are the last.
  await replaceAll([0, 1, 2, 3], ROOT, 'of this release')
  await replaceAll([3, 2, 1, 0], before.root, 'of the release before')

  await Promise.all([traffic.stop(), withdrawals.stop()])
  say('nothing is asked any more')
  const broken = await judge({
    ...{ db, databaseUrl: postgres.url, sandbox: cluster.sandbox },
    ...{ traffic, withdrawals, followers, webhooks, ends },
  })
  say(summary(traffic))
  say(`${withdrawals.asked.length} withdrawals, ${webhooks.all().length} webhooks`)
  say(`sockets resumed ${followers.resumed()} times, ${broken.length} promises broken`)
  for (const one of broken) console.log(`  ${one}`)
  await end(broken.length === 0 ? 0 : 1)
}

interface Place {
  readonly role: 'api' | 'worker'
  start(root: string): ReturnType<Cluster['startApi']>
}

const isAcknowledged = ({ outcome }: Traffic['requests'][number]): boolean =>
  outcome === 'acknowledged'

async function untilTraded({ requests }: Traffic): Promise<void> {
  const wanted = requests.filter(isAcknowledged).length + values.requests
  await until(
    `${values.requests} more trades`,
    () => requests.filter(isAcknowledged).length >= wanted,
    { deadlineMs: 180_000 },
  )
}

function summary({ requests }: Traffic): string {
  const counts = Map.groupBy(requests, ({ operation, outcome }) => `${operation} ${outcome}`)
  return [...counts].map(([name, { length }]) => `${name} ${length}`).join(', ')
}

try {
  await drill()
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error)
    await end(1)
  }
}
