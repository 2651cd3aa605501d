// Reads that promise no freshness go to a real standby, which is paused, stopped, made to conflict, killed
// and promoted meanwhile: none of them fails, and none shows what is older than the bound.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import {
  type DashboardServer,
  startDashboardServer,
} from '../../apps/server/src/edges/http/testing/dashboard-server.ts'
import { createCopyOut } from '../../apps/server/src/infra/database/copy-out.ts'
import { type Db, openDb, sql, sqlState, type Tx } from '../../apps/server/src/infra/database/db.ts'
import { createHeavyReads } from '../../apps/server/src/infra/database/heavy-reads.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import {
  createStaleReads,
  openReplica,
  type Replica,
  type ReplicaState,
  type StaleDb,
  type StaleReads,
} from '../../apps/server/src/infra/database/replica.ts'
import { BusyError } from '../../apps/server/src/infra/database/tenant-shares.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { onServer } from '../../apps/server/src/infra/testing/database.ts'
import { recordingDb } from '../../apps/server/src/infra/testing/recording-db.ts'
import { readMonthlyStatement } from '../../apps/server/src/modules/money/ledger/index.ts'
import {
  createCatalog,
  openCatalogueView,
} from '../../apps/server/src/modules/trading/catalog/index.ts'
import {
  DRAGON_LORE,
  REDLINE,
  sourceOf,
} from '../../apps/server/src/modules/trading/catalog/testing/fixtures.ts'
import { ROOT } from '../support/child.ts'
import { until } from '../support/until.ts'
import { promote, startStandby } from './worlds/standby.ts'

const BOUND_MS = 1000

let folder: string
let primary: EmbeddedPostgres
let standby: EmbeddedPostgres
/** Of single tests. */
const servers: EmbeddedPostgres[] = []
const replicas: Replica[] = []
let db: Db
let replica: Replica
let staleReads: StaleReads
let server: DashboardServer
let sides: string[]

const settings = { sharedBuffersMb: 32, maxConnections: 100 }

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradepost-replica-'))
  const primaryFolder = join(folder, 'primary')
  primary = await startPostgres({ folder: primaryFolder, ...settings })
  servers.push(primary)
  await migrate(primary.url)
  await onServer(primary.url, 'create table public.noted (id integer primary key)')
  standby = await givenStandby()
  db = openDb({ url: primary.url, poolSize: 4, applicationName: 'replica test' })
  sides = []
  replica = await openFor({})
  staleReads = createStaleReads(replica, db)
  server = await startDashboardServer(db, { replica })
})
after(async () => {
  await server?.close()
  await Promise.all(replicas.map((each) => each.close()))
  await db?.close()
  await Promise.all(servers.map((each) => each.stop()))
  rmSync(folder, { recursive: true, force: true })
})

async function givenStandby(): Promise<EmbeddedPostgres> {
  const primaryFolder = join(folder, 'primary')
  const started = await startStandby(primary, {
    primaryFolder,
    folder: join(folder, `standby-${servers.length}`),
  })
  servers.push(started)
  // A conflict ends what stands in the way of the log at once.
  await onServer(started.url, 'alter system set max_standby_streaming_delay = 0')
  await onServer(started.url, 'select pg_reload_conf()')
  return started
}

async function openFor({
  url = standby.url,
  maxLagMs = BOUND_MS,
  onState = (_: ReplicaState): unknown => null,
}): Promise<Replica> {
  const opened = await openReplica({
    ...{ url, primary: db, clock: systemClock, maxLagMs, poolSize: 2, statementTimeoutMs: 70_000 },
    ...{ onRead: (side) => sides.push(side), onMoved: () => {}, onState },
  })
  replicas.push(opened)
  return opened
}

/** Which side answers now. */
const side = (reads = staleReads): Promise<'replica' | 'primary'> =>
  reads(async ({ query, asOf }) => {
    await query(COUNT)
    return asOf === null ? 'primary' : 'replica'
  })
const untilAnsweredBy = (wanted: 'replica' | 'primary'): Promise<unknown> =>
  until(`the ${wanted} answers`, async () => (await side()) === wanted)

const COUNT = sql('test.count_noted', 'select count(*)::integer count from pg_class')
const SHORT_SLEEP = sql('test.short_sleep', 'select pg_sleep(0.05)')
const NOTED = sql('test.noted', 'select id from public.noted order by id')
const ONE_ROW = { statement: sql('test.one_row', 'select $1 x'), values: ['x'] }
const EXPORT_LIMITS = { atOnce: 2, timeoutMs: 60_000, slowMs: 1000, stallMs: 60_000 } as const
const NOTE = sql('test.note', 'insert into public.noted values ($1)')

async function paused(work: () => Promise<void>): Promise<void> {
  await untilAnsweredBy('replica')
  await onServer(standby.url, 'select pg_wal_replay_pause()')
  try {
    // It is asked for, and what has arrived may be replayed before it is one.
    await until('nothing is replayed', async () => {
      const [row] = await onServer<{ state: string }>(
        standby.url,
        'select pg_get_wal_replay_pause_state() state',
      )
      return row?.state === 'paused'
    })
    await work()
  } finally {
    await onServer(standby.url, 'select pg_wal_replay_resume()')
    await untilAnsweredBy('replica')
  }
}

it('figures and administrators’ lists come from the replica, and say since when', async () => {
  const [merchant, admin] = [await server.loggedIn(), await server.loggedIn('administrator')]
  const account = `admin/merchants/${merchant.accountId}`
  const lists = ['trades', 'deposits', 'withdrawals', 'users']
  const reads = [
    [merchant, 'overview'],
    [admin, 'admin/audit-log'],
    ...lists.map((list) => [admin, `${account}/${list}`] as const),
  ] as const
  for (const [browser, path] of reads) {
    await untilAnsweredBy('replica')
    const before = Date.now()
    const { status, data } = await browser.call('GET', path)
    assert.equal(status, 200, path)
    assert.ok(Date.parse(data.asOf) <= Date.now(), path)
    assert.ok(Date.parse(data.asOf) >= before - BOUND_MS, path)
  }
})

it('a list of administrators that is read again after their act on it is the primary’s', async () => {
  const admin = await server.loggedIn('administrator')
  await untilAnsweredBy('replica')
  const { status, data } = await admin.call('GET', 'admin/deliveries')
  assert.deepEqual([status, data], [200, { items: [], nextCursor: null }])
})

it('what a caller may compare with what it has just done is the primary’s', async () => {
  const reads = createStaleReads(await openFor({ maxLagMs: 60_000 }), db)
  await paused(async () => {
    await db.query(NOTE, [1])
    assert.equal(await side(reads), 'replica')
    assert.deepEqual(await reads(({ query }) => query(NOTED)), [], 'the replica lacks it')
    const merchant = await server.loggedIn()
    const { data } = await merchant.call('GET', 'wallets')
    assert.equal(data.length, 2, 'of an account that the replica does not know')
  })
})

it('behind by more than the bound, reads go to the primary, and come back', async () => {
  await paused(async () => {
    const pausedMs = performance.now()
    await db.query(NOTE, [2])
    await untilAnsweredBy('primary')
    // A look more than the bound, on a busy machine.
    assert.ok(performance.now() - pausedMs < BOUND_MS + 5000)
    assert.equal(replica.state(), 'behind')
    assert.ok(replica.lagMs() > BOUND_MS)
    const { data } = await (await server.loggedIn()).call('GET', 'overview')
    assert.equal(data.asOf, undefined)
    assert.ok((await staleReads(({ query }) => query<{ id: number }>(NOTED))).length > 0)
  })
})

it('a receiver that hangs is noticed although everything that it received is there', async () => {
  await untilAnsweredBy('replica')
  const [receiver] = await onServer<{ pid: number }>(
    standby.url,
    'select pid from pg_stat_wal_receiver',
  )
  const pid = receiver?.pid ?? 0
  process.kill(pid, 'SIGSTOP')
  try {
    await db.query(NOTE, [3])
    await untilAnsweredBy('primary')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await untilAnsweredBy('replica')
})

it('a read that recovery cancels is read again at the primary', async () => {
  await untilAnsweredBy('replica')
  await db.query(NOTE, [4])
  let tries = 0
  const rows = await staleReads(({ snapshot, asOf }) =>
    snapshot(async (at) => {
      tries++
      const found = await at.query<{ id: number }>(NOTED)
      if (asOf === null) return found
      await onServer(primary.url, 'delete from public.noted where id = 4')
      await onServer(primary.url, 'vacuum public.noted')
      // A commit takes the log of the vacuum along.
      await db.query(NOTE, [40])
      // Until it is cancelled.
      for (;;) await at.query(SHORT_SLEEP)
    }),
  )
  assert.equal(tries, 2)
  assert.ok(rows.every(({ id }) => id !== 4))
})

it('a write is refused on the replica, and not taken to the primary', async () => {
  await untilAnsweredBy('replica')
  await assert.rejects(
    staleReads(({ query }) => query(NOTE, [5])),
    (error) => sqlState(error) === '25006',
  )
  const rows = await db.query<{ id: number }>(NOTED)
  assert.ok(rows.every(({ id }) => id !== 5))
})

it('what writes takes a transaction, and there is none at this door', () => {
  // These do not compile once it has one.
  const isTransaction: StaleDb extends Tx ? true : false = false
  const beginsOne: 'transaction' extends keyof StaleDb ? true : false = false
  assert.ok(!isTransaction && !beginsOne)
})

it('the catalogue is loaded from the replica, and what that lacks is read at the primary', async () => {
  const catalog = createCatalog({ db, clock: systemClock })
  await catalog.refreshItems(sourceOf([REDLINE]), null)
  await untilAnsweredBy('replica')
  const reads = createStaleReads(await openFor({ maxLagMs: 60_000 }), db)
  await paused(async () => {
    await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE], 'v2'), null)
    sides.length = 0
    const view = await openCatalogueView({
      ...{ db, staleReads: reads, clock: systemClock },
      onError: assert.ifError,
    })
    assert.deepEqual(sides, ['replica'])
    assert.equal(view.list({ offset: 0, limit: 10 }).total, 2)
    await view.stop()
  })
})

it('a refusal of the read itself is not asked again', async () => {
  await untilAnsweredBy('replica')
  let tries = 0
  const refused = staleReads(async () => {
    tries++
    throw new Error('there is none')
  })
  await assert.rejects(refused, /there is none/)
  assert.equal(tries, 1)
})

it('one tenant’s reads have the same bound on either side', async () => {
  await untilAnsweredBy('replica')
  const heavyReads = createHeavyReads({ db, replica, atOnce: 1, waiting: 0, waitMs: 1000 })
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const first = heavyReads.run('t', (_, stale) => stale(() => mayEnd))
  await assert.rejects(
    heavyReads.run('t', (own) => own.query(COUNT)),
    BusyError,
  )
  end()
  await first
})

it('a month that the replica does not know to be closed is closed at the primary, once', async () => {
  const merchant = await server.loggedIn()
  const asked = { ownerId: merchant.accountId, month: '2026-10', at: server.clock.now() }
  const first = await readMonthlyStatement(db, asked, staleReads)
  assert.deepEqual(await readMonthlyStatement(db, asked, staleReads), first)
  assert.deepEqual(await readMonthlyStatement(db, asked), first)
})

it('an export whose statement fails at the replica is the primary’s, from its header on', async () => {
  const own = await openFor({ maxLagMs: 60_000 })
  const copyOut = createCopyOut({ ...EXPORT_LIMITS, db, replica: own })
  await until('it is used', () => own.find() !== null)
  const statement = sql('test.new_table', 'select x from public.made_later where x <> $1')
  await paused(async () => {
    await db.script(`create table public.made_later as select 'a' x`)
    sides.length = 0
    const file = (await buffer(copyOut.open('one', { statement, values: ['b'] }))).toString()
    assert.deepEqual([file, sides], ['\ufeffx\r\na\r\n', ['primary']])
  })
})

it('an export of a replica that has gone is the primary’s', async () => {
  const gone = await givenStandby()
  const own = await openFor({ url: gone.url, maxLagMs: 60_000 })
  await until('it is used', () => own.find() !== null)
  const merchant = await server.loggedIn()
  const copyOut = createCopyOut({ ...EXPORT_LIMITS, db, replica: own })
  const textOf = async (): Promise<string> =>
    (await buffer(copyOut.open(merchant.accountId, ONE_ROW))).toString()
  sides.length = 0
  const whole = await textOf()
  await gone.stop()
  assert.equal(await textOf(), whole)
  assert.deepEqual(sides, ['replica', 'primary'])
})

it('a replica that is killed in the middle of a read fails no read', async () => {
  const killed = await givenStandby()
  const own = await openFor({ url: killed.url, maxLagMs: 60_000 })
  await until('it is used', () => own.find() !== null)
  const reads = createStaleReads(own, db)
  const { promise: isThere, resolve: there } = Promise.withResolvers<void>()
  const answered = reads(async ({ query, asOf }) => {
    if (asOf === null) return 'primary'
    const slow = query(sql('', 'select pg_sleep(60)'))
    there()
    await slow
    return 'replica'
  })
  await isThere
  process.kill(killed.pid(), 'SIGKILL')
  assert.equal(await answered, 'primary')
  assert.equal(await side(reads), 'primary')
  assert.equal(own.state(), 'unreachable')
})

it('a replica that takes over is not read any more', async () => {
  const promoted = await givenStandby()
  const own = await openFor({ url: promoted.url })
  await until('it is used', () => own.find() !== null)
  await promote(promoted)
  await until('it is named', () => own.state() === 'takes writes')
  assert.equal(await side(createStaleReads(own, db)), 'primary')
})

it('what is no replica of this database is named at the start, and the primary answers', async () => {
  const foreign = await startPostgres({ folder: join(folder, 'foreign'), ...settings })
  servers.push(foreign)
  const gone = new URL(standby.url)
  gone.port = '1'
  const cases: readonly (readonly [string, ReplicaState])[] = [
    [primary.url, 'same server'],
    [foreign.url, 'other system'],
    [gone.href, 'unreachable'],
  ]
  for (const [url, state] of cases) {
    const said: ReplicaState[] = []
    const own = await openFor({ url, onState: (each) => said.push(each) })
    assert.deepEqual(said, [state])
    assert.equal(own.state(), state)
    assert.equal(await side(createStaleReads(own, db)), 'primary')
  }
})

it('a bound of 0 leaves every read at the primary', async () => {
  assert.equal(await side(createStaleReads(await openFor({ maxLagMs: 0 }), db)), 'primary')
})

it('without a replica a read is the same statements of the primary, and no more', async () => {
  const recorded = recordingDb(db)
  const merchant = await server.loggedIn()
  const month = { ownerId: merchant.accountId, month: '2026-09', at: server.clock.now() }
  await createStaleReads(null, recorded)(({ query }) => query(COUNT))
  assert.deepEqual(recorded.taken(), ['test.count_noted'])
  await readMonthlyStatement(recorded, month)
  const closing = recorded.taken()
  assert.equal(closing[0], closing.at(-2), 'looked for, closed, and read')
  assert.ok(!closing.some((name) => name.startsWith('infra.')))
})

it('the books are audited on the replica when an operator asks, and it says since when', async () => {
  // A vacuum of the primary would cancel the audit there, and it would be the primary's.
  await onServer(standby.url, 'alter system reset max_standby_streaming_delay')
  await onServer(standby.url, 'select pg_reload_conf()')
  await untilAnsweredBy('replica')
  const audit = async (DATABASE_READ_URL: string): Promise<{ stdout: string; stderr: string }> => {
    const env = { ...process.env, DATABASE_URL: primary.url, DATABASE_READ_URL }
    return promisify(execFile)(process.execPath, ['tools/audit.ts'], {
      env: { ...env, READ_MAX_LAG_MS: '60000' },
      cwd: ROOT,
    })
  }
  const { stdout } = await audit(standby.url)
  assert.match(
    stdout,
    /^The replica was read, which has everything up to .+\nThe books are right\.\n$/,
  )
  assert.deepEqual(await audit(primary.url), {
    stdout: 'The books are right.\n',
    stderr: 'The replica is not used (same server).\n',
  })
})
