// `npm run drill:upgrade`: two api and two worker processes of the release before serve a merchant; the
// database is migrated by this release, the processes are replaced one by one, and once back again. Not one
// request fails meanwhile. With `--database` the processes stay, and their database moves to another server.
// Everything that it makes is gone when it ends.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { readAccess, writeAccess } from '../../apps/server/embedded-postgres/postgres-access.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { HISTORY } from '../../apps/server/src/infra/database/recovery-mark.ts'
import { bearsOf, readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { noValkey } from '../../apps/server/src/infra/testing/valkey-server.ts'
import { openWire } from '../../apps/server/src/infra/testing/wire.ts'
import { readOptions, refuseUse } from '../../tools/options.ts'
import { find } from '../failover/programs.ts'
import { ROOT } from '../support/child.ts'
import { createSay, createShutdown, newSeed, SEED } from '../support/long-run.ts'
import { runServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { judge } from './judge.ts'
import { allowReplication, finish, follow, listDifferences, listUnlogged } from './move.ts'
import { findCommit, installRelease, releaseBefore } from './release.ts'
import { startTrading, type Trading } from './trading.ts'

const { values } = readOptions({
  name: 'npm run drill:upgrade',
  about: 'Upgrades an installation under load from another release to this one, and back.',
  options: {
    from: {
      kind: 'text',
      of: 'tag or commit',
      about: 'the newest tag, or before the first one what the last change of the schema followed',
    },
    database: { kind: 'flag', about: 'moves the database to another server instead' },
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
if (values.database && values.from !== undefined) refuseUse('--database takes no --from.')
const from = values.from ?? (values.database ? 'HEAD' : await releaseBefore())
const commit = await findCommit(from)
if (commit === null) refuseUse(`--from needs a tag or a commit of this repository, not “${from}”.`)
const haproxy = values.database ? null : find('haproxy')
const missing = [
  haproxy === null && !values.database && 'haproxy',
  noValkey !== false && 'redis-server',
].filter((name) => name !== false)
if (missing.length > 0) {
  console.log(
    `skipped: missing ${missing.join(', ')} (Debian: apt-get install ${missing.join(' ')})`,
  )
  process.exit(values.require ? 1 : 0)
}

const seed = values.seed ?? newSeed()
const say = createSay()
const folder = mkdtempSync(join(tmpdir(), 'tradepost-upgrade-'))
const shutdown = createShutdown({ mostMinutes: 40 })
const { end, signal } = shutdown
shutdown.steps.push(() =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
)

async function upgrade(commit: string): Promise<void> {
  say(`installing the release before, ${from}`)
  const before = await installRelease(commit, { folder, signal })
  const later = readMigrations().filter(({ name }) => !before.migrations.has(name))
  const unbearable = later.find((migration) => bearsOf(migration) === 'none')
  if (unbearable) {
    say(`skipped: ${unbearable.name} bears no older process, so this upgrade stops the service`)
    return end(0)
  }
  const postgres = await startOwn('postgres')
  const settings = { DATABASE_URL: postgres.url }
  await migrate(settings, before.root)
  const db = openDatabase(postgres.url)
  const trading = await startTrading({
    ...{ folder, cleanups: shutdown.steps, haproxy, seed, release: before },
    database: { url: postgres.url, db },
  })
  say(`two api and two worker processes serve, seed ${seed}`)
  await trading.untilTraded(values.requests)
  await migrate(settings, ROOT)
  say(`migrated: ${later.map(({ name }) => name).join(', ') || 'nothing'}`)
  await trading.untilTraded(values.requests)
  const ends: string[] = []
  const replace = async (order: readonly number[], root: string, what: string): Promise<void> => {
    for (const i of order) {
      ends.push(...(await stopAt(trading, i)))
      await trading.places[i]?.start(root)
      say(`${trading.places[i]?.role} ${i} is ${what}`)
      await trading.untilTraded(values.requests)
    }
  }
  // Workers first; on the way back they are the last.
  await replace([0, 1, 2, 3], ROOT, 'of this release')
  await replace([3, 2, 1, 0], before.root, 'of the release before')
  await stopAsking(trading)
  const broken = await judge(
    { ...trading, ...seenOf(trading), db, databaseUrl: postgres.url, ends },
    { isUninterrupted: true },
  )
  await report(trading, broken)
}

/** Of every market, of the bots and of payments. */
const GATES = ['bots', 'market_a', 'market_b', 'payments']

async function moveDatabase(): Promise<void> {
  const first = await startPostgres({ folder: join(folder, 'old'), maxConnections: 200 })
  await allowReplication(first.url)
  await first.stop()
  const old = await startOwn('old')
  await migrate({ DATABASE_URL: old.url }, ROOT)
  const wire = await openWire(old.url)
  shutdown.steps.push(wire.close)
  const db = openDatabase(wire.url)
  const database = { url: wire.url, db }
  const trading = await startTrading({ folder, cleanups: shutdown.steps, haproxy, seed, database })
  say(`two api and two worker processes serve, seed ${seed}`)
  await trading.untilTraded(values.requests)

  const broken = (await listUnlogged(old.url)).map(({ name }) => `${name} is not in the log`)
  mkdirSync(join(folder, 'new'))
  writeAccess(join(folder, 'new'), {
    password: readAccess(join(folder, 'old'))?.password ?? '',
    port: 0,
  })
  const next = await startOwn('new')
  await migrate({ DATABASE_URL: next.url }, ROOT)
  await follow(old, next)
  say('the new server follows the old one')
  await trading.untilTraded(values.requests)

  const stoppedAt = performance.now()
  const all = trading.places.map((_, i) => i)
  const ends = (await Promise.all(all.map((i) => stopAt(trading, i)))).flat()
  await finish(old, next)
  const differ = await listDifferences(old.url, next.url)
  broken.push(...differ.map((name) => `${name} differs`))
  await wire.cut()
  await wire.restore({ port: next.port })
  await Promise.all(trading.places.map(({ start }) => start()))
  say(`moved: no process served for ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s`)
  await trading.untilTraded(values.requests)
  broken.push(...(await listClosedGates(db)))
  await stopAsking(trading)
  broken.push(
    ...(await judge(
      { ...trading, ...seenOf(trading), db, databaseUrl: next.url, ends },
      { isUninterrupted: false },
    )),
  )
  await report(trading, broken)
}

const READ_GATES = sql(
  'upgrade.read_gates',
  `select g.market, g.closed_at is not null "isClosed" from reconciliation.placing_gate g
   where g.history = (${HISTORY})`,
)

/** Every process had ended in order, and everything was moved: so none may close. */
async function listClosedGates(db: Db): Promise<string[]> {
  const gates = await until('every gate is decided', async () => {
    const decided = await db.query<{ market: string; isClosed: boolean }>(READ_GATES)
    return decided.length === GATES.length ? decided : null
  })
  return gates
    .filter(({ isClosed }) => isClosed)
    .map(({ market }) => `the gate of ${market} has closed`)
}

async function startOwn(name: string): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ folder: join(folder, name), maxConnections: 200 })
  shutdown.steps.push(() => postgres.stop())
  return postgres
}

async function migrate(settings: { readonly DATABASE_URL: string }, root: string): Promise<void> {
  const { code, stderr } = await runServer('migrate', settings, [], root)
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${stderr}`)
}

function openDatabase(url: string): Db {
  const db = openDb({ url, poolSize: 3, applicationName: 'drill of an upgrade' })
  shutdown.steps.push(() => db.close())
  return db
}

/** What is wrong with how it ended. */
async function stopAt({ places }: Trading, i: number): Promise<string[]> {
  const place = places[i]
  if (place === undefined) return []
  const server = place.running()
  const { code } = await server.end('SIGTERM')
  return code === 0 ? [] : [`${place.role} ${i} ended with ${code}:\n${server.said()}`]
}

const seenOf = ({ cluster: { apis, workers, sandbox } }: Trading) => ({
  sandbox,
  servers: [...apis, ...workers],
})

async function stopAsking({ traffic, withdrawals }: Trading): Promise<void> {
  await Promise.all([traffic.stop(), withdrawals.stop()])
  say('nothing is asked any more')
}

async function report(
  { traffic, withdrawals, webhooks, followers }: Trading,
  broken: readonly string[],
): Promise<never> {
  const counts = Map.groupBy(
    traffic.requests,
    ({ operation, outcome }) => `${operation} ${outcome}`,
  )
  say([...counts].map(([name, { length }]) => `${name} ${length}`).join(', '))
  say(`${withdrawals.asked.length} withdrawals, ${webhooks.all().length} webhooks`)
  say(`sockets resumed ${followers.resumed()} times, ${broken.length} promises broken`)
  for (const one of broken) console.log(`  ${one}`)
  return end(broken.length === 0 ? 0 : 1)
}

try {
  if (values.database) await moveDatabase()
  else await upgrade(commit)
} catch (error) {
  await shutdown.fail(error)
}
