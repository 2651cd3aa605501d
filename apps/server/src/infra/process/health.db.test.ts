import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDb, sql } from '../database/db.ts'
import { createWorkerBeats } from '../jobs/worker-beats.ts'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { createReadiness, type Readiness } from './health.ts'
import { createMetrics } from './metrics.ts'

const { db, close } = await testDatabase()
after(close)

const clock = manualClock()
const metrics = createMetrics()
const checkerOf = (jobs: readonly string[] = [], at = db): (() => Promise<Readiness>) => {
  const workers = createWorkerBeats({ db: at, clock, metrics, silenceMs: 60_000 })
  return createReadiness({ db: at, clock, metrics, workers, jobs })
}
const check = (jobs?: readonly string[]) => checkerOf(jobs)()
const BEAT = sql(
  '',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ($1, $2, $3, $3)
   on conflict (job, process_id) do update set beat_at = excluded.beat_at`,
)
const beat = (job: string, processId = 'a') => db.query(BEAT, [job, processId, clock.now()])
const isAhead = async () => /^tradepost_schema_ahead (\d)$/m.exec(await metrics.text())?.[1] === '1'

test('without a worker it is degraded; with one that beats ready; with a silent one degraded', async () => {
  assert.deepEqual(await check(), {
    status: 'degraded',
    checks: { database: 'ok', migrations: 'ok', workers: 'silent: every worker' },
  })
  await beat('api')
  assert.equal((await check()).status, 'degraded', 'an api process is no worker')
  await beat('place')
  assert.equal((await check()).status, 'ready')
  clock.advance(30_000)
  assert.equal((await check()).status, 'ready')
  clock.advance(1)
  assert.equal((await check()).status, 'degraded')
})

test('each job that must run is named when no process runs it', async () => {
  await beat('place', 'a')
  await beat('place', 'killed long ago')
  const { status, checks } = await check(['place', 'deliver'])
  assert.equal(status, 'degraded')
  assert.equal(checks.workers, 'silent: deliver')
  await beat('deliver', 'b')
  assert.equal((await check(['place', 'deliver'])).status, 'ready')
})

test('what is noted beside is said, and makes nothing unready', async () => {
  await beat('place')
  const notes = { tradeUrls: async () => 'none' }
  const workers = createWorkerBeats({ db, clock, metrics, silenceMs: 60_000 })
  const { status, checks } = await createReadiness({
    ...{ db, clock, metrics, workers, notes },
    jobs: [],
  })()
  assert.equal(status, 'ready')
  assert.deepEqual(checks, { database: 'ok', migrations: 'ok', workers: 'ok', tradeUrls: 'none' })
})

const LATER = sql('', `insert into infra.migration (name, sha256, bears) values ($1, 'x', $2)`)
const FORGET = sql('', `delete from infra.migration where name > '9'`)

test('a database of a later version that bears this one is ready, and is said to be newer', async () => {
  assert.equal(await isAhead(), false)
  await beat('place')
  await db.query(LATER, ['9000_later', 'previous'])
  const ready = await check()
  assert.equal(ready.status, 'ready')
  assert.equal(ready.checks.migrations, 'ok, database is newer')
  assert.equal(await isAhead(), true)
  await db.query(FORGET)
})

test('a database of a later version that bears none is not ready, and says so', async () => {
  for (const bears of ['none', null]) {
    await db.query(LATER, ['9000_later', 'previous'])
    await db.query(LATER, ['9001_later', bears])
    const { status, checks } = await check()
    assert.equal(status, 'unready')
    assert.match(checks.migrations, /newer version .*9001_later/)
    assert.equal(await isAhead(), true)
    await db.query(FORGET)
  }
  await check()
  assert.equal(await isAhead(), false)
})

test('an edited migration is not ready, and is named', async () => {
  const edit = sql(
    '',
    `update infra.migration set sha256 = $1 || sha256 where name = '0003_identity'`,
  )
  const restore = sql(
    '',
    `update infra.migration set sha256 = substr(sha256, 2) where name = '0003_identity'`,
  )
  await db.query(edit, ['x'])
  const { status, checks } = await check()
  assert.equal(status, 'unready')
  assert.match(checks.migrations, /0003_identity was changed/)
  await db.query(restore)
})

test('a missing migration is named', async () => {
  await db.script(`delete from infra.migration where name = '0002_outbox'`)
  const { status, checks } = await check()
  assert.equal(status, 'unready')
  assert.equal(checks.migrations, 'missing: 0002_outbox')
})

test('an unreachable database is not ready, without a word on where it is', async () => {
  const away = openDb({ url: 'postgres://me:hunter2@127.0.0.1:9/x', poolSize: 1 })
  const { status, checks } = await checkerOf([], away)()
  assert.equal(status, 'unready')
  assert.deepEqual(checks, { database: 'unreachable', migrations: 'unknown', workers: 'unknown' })
  await away.close()
})
