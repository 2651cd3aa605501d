import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDb, sql } from '../database/db.ts'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { createReadiness } from './health.ts'

const { db, close } = await testDatabase()
after(close)

const clock = manualClock()
const check = (jobs: readonly string[] = []) => createReadiness({ db, clock, jobs })()
const BEAT = sql(
  '',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ($1, $2, $3, $3)
   on conflict (job, process_id) do update set beat_at = excluded.beat_at`,
)
const beat = (job: string, processId = 'a') => db.query(BEAT, [job, processId, clock.now()])

test('without a worker it is not ready; with one that beats it is; with a silent one it is not', async () => {
  assert.deepEqual(await check(), {
    ready: false,
    checks: { database: 'ok', migrations: 'ok', workers: 'silent: every worker' },
  })
  await beat('place')
  assert.equal((await check()).ready, true)
  clock.advance(30_000)
  assert.equal((await check()).ready, true)
  clock.advance(1)
  assert.equal((await check()).ready, false)
})

test('each job that must run is named when no process runs it', async () => {
  await beat('place', 'a')
  await beat('place', 'killed long ago')
  const { ready, checks } = await check(['place', 'deliver'])
  assert.equal(ready, false)
  assert.equal(checks.workers, 'silent: deliver')
  await beat('deliver', 'b')
  assert.equal((await check(['place', 'deliver'])).ready, true)
})

test('a database of a newer version is not ready, and says so', async () => {
  await db.script(`insert into infra.migration (name, sha256) values ('9000_later', 'x')`)
  const { ready, checks } = await check()
  assert.equal(ready, false)
  assert.match(checks.migrations, /newer version/)
  await db.script(`delete from infra.migration where name = '9000_later'`)
})

test('a missing migration is named', async () => {
  await db.script(`update infra.migration set name = 'x' where name = '0002_outbox'`)
  await db.script(`delete from infra.migration where name = 'x'`)
  const { ready, checks } = await check()
  assert.equal(ready, false)
  assert.equal(checks.migrations, 'missing: 0002_outbox')
})

test('an unreachable database is not ready, without a word on where it is', async () => {
  const away = openDb({ url: 'postgres://me:hunter2@127.0.0.1:9/x', poolSize: 1 })
  const { ready, checks } = await createReadiness({ db: away, clock, jobs: [] })()
  assert.equal(ready, false)
  assert.deepEqual(checks, { database: 'unreachable', migrations: 'unknown', workers: 'unknown' })
  await away.close()
})
