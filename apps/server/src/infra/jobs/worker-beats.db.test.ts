import assert from 'node:assert/strict'
import { after, beforeEach, type TestContext, test } from 'node:test'
import { openDb, sql } from '../database/db.ts'
import { silentLog } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { type Heart, startHeartbeats } from './heartbeats.ts'
import { createWorkerBeats } from './worker-beats.ts'

const { db, url, close } = await testDatabase({ poolSize: 2 })
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

test('each beat writes a quarter of the rows, but all of them after beats that were missed', async (t) => {
  await whileBeating(t, async ({ beatAfter }) => {
    assert.equal((await beatAfter(0)).length, 8)
    assert.deepEqual(await beatAfter(5000), ['job-2', 'job-3'])
    assert.deepEqual(await beatAfter(5000), ['job-4', 'job-5'])
    assert.equal((await beatAfter(25_000)).length, 8)
  })
})

test('a success that is newer by more than a round is written at once, one of a quicker job in its turn', async (t) => {
  await whileBeating(t, async ({ hearts, now, beatAfter }) => {
    const [slow, quick] = hearts.slice(6)
    assert.ok(slow && quick)
    await beatAfter(0)
    for (const turn of [2, 4, 6, 0]) {
      quick.succeededAt = now()
      assert.deepEqual(await beatAfter(5000), [`job-${turn}`, `job-${turn + 1}`])
    }
    assert.deepEqual(await beatAfter(5000), ['job-2', 'job-3'])
    slow.succeededAt = now()
    assert.deepEqual(await beatAfter(5000), ['job-4', 'job-5', 'job-6'])
  })
})

async function whileBeating(
  t: TestContext,
  work: (beating: {
    readonly hearts: readonly Heart[]
    readonly now: () => Date
    /** The jobs whose rows the beat writes that comes when the clock has gone on for so long. */
    beatAfter(milliseconds: number): Promise<readonly string[]>
  }) => Promise<void>,
): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = manualClock()
  const hearts = Array.from({ length: 8 }, (_, i) => {
    return { job: `job-${i}`, startedAt: clock.now(), succeededAt: clock.now(), error: null }
  })
  // What is read comes after what a beat writes, on the same connection.
  const one = openDb({ url, poolSize: 1 })
  const beats = startHeartbeats(hearts, { db: one, clock, log: silentLog, processId: 'w1' })
  try {
    await work({
      hearts,
      now: clock.now,
      beatAfter: async (milliseconds) => {
        clock.advance(milliseconds)
        t.mock.timers.tick(5000)
        const rows = await one.query<{ job: string }>(BEATEN, [clock.now()])
        return rows.map(({ job }) => job)
      },
    })
  } finally {
    await beats.stop()
    await one.close()
  }
}

const BEATEN = sql('', 'select job from infra.heartbeat where beat_at = $1 order by job')
