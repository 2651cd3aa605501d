import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { sql } from '../database/db.ts'
import { createMetrics } from '../process/metrics.ts'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { createWorkerBeats } from './worker-beats.ts'

const { db, close } = await testDatabase({ poolSize: 2 })
after(close)
beforeEach(() => db.script('delete from infra.heartbeat'))

const BEAT = sql(
  '',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at) values ($1, $2, $3, $3)
   on conflict (job, process_id) do update set beat_at = excluded.beat_at`,
)

const SILENCE_MS = 60_000
const aProcess = (startedAt = new Date()) => {
  const clock = manualClock(startedAt)
  const metrics = createMetrics()
  const workers = createWorkerBeats({ db, clock, metrics, silenceMs: SILENCE_MS })
  return {
    ...{ clock, workers },
    beat: (job: string, processId = 'w1') => db.query(BEAT, [job, processId, clock.now()]),
    /** After so long. */
    areSilent: (milliseconds: number) => {
      clock.advance(milliseconds)
      return workers.areSilent()
    },
    lastBeat: async () =>
      Number(/^tradepost_worker_last_beat_seconds (\S+)$/m.exec(await metrics.text())?.[1]),
  }
}

test('workers are silent once none has beaten for the limit, and no more at the next beat of any', async () => {
  const { beat, areSilent, clock, lastBeat } = aProcess()
  clock.advance(1000)
  await beat('place')
  const beatenAt = clock.now().getTime() / 1000
  assert.equal(await areSilent(SILENCE_MS - 1), false)
  assert.equal(await lastBeat(), beatenAt)
  assert.equal(await areSilent(1000), true)
  await beat('deliver', 'w2')
  assert.equal(await areSilent(1000), false)
})

test('a worker that stopped and took its rows along counts from its last beat on', async () => {
  const { beat, areSilent } = aProcess()
  assert.equal(await areSilent(50_000), false)
  await beat('place')
  assert.equal(await areSilent(1000), false)
  await db.script('delete from infra.heartbeat')
  assert.equal(await areSilent(SILENCE_MS - 1001), false)
  assert.equal(await areSilent(1000), true)
})

test('a job lives while any beat of its process is new, unless its own was left out of a whole round', async () => {
  const { beat, clock, workers } = aProcess()
  await beat('place')
  clock.advance(31_000)
  assert.deepEqual(await workers.listSilent(['place']), ['place'])
  await beat('deliver')
  clock.advance(1001)
  assert.deepEqual(await workers.listSilent(['place', 'deliver']), [])
  await beat('deliver', 'w2')
  clock.advance(10_000)
  await beat('deliver')
  clock.advance(1001)
  assert.deepEqual(await workers.listSilent(['place', 'deliver']), ['place'])
})

test('a process that has seen no worker counts from its own start', async () => {
  const { areSilent, lastBeat, clock } = aProcess()
  const startedAt = clock.now().getTime() / 1000
  assert.equal(await areSilent(SILENCE_MS - 1), false)
  assert.equal(await areSilent(1001), true)
  assert.equal(await lastBeat(), startedAt)
})

test('an api process is no worker', async () => {
  const { beat, areSilent, clock } = aProcess()
  clock.advance(SILENCE_MS)
  await beat('api')
  assert.equal(await areSilent(0), true)
})

test('a worker that was killed long ago is silent to a process that starts now', async () => {
  const before = aProcess()
  await before.beat('place')
  const { areSilent } = aProcess(new Date(before.clock.now().getTime() + SILENCE_MS))
  assert.equal(await areSilent(0), true)
})
