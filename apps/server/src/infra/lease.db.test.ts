import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { systemClock } from './clock.ts'
import { sql } from './db.ts'
import { acquireLease, createReserveSlot, type Job, releaseLease, startJobs } from './lease.ts'
import { silentLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { manualClock } from './testing/clock.ts'
import { testDatabase } from './testing/database.ts'
import { until } from './testing/until.ts'

const { db, close } = await testDatabase({ poolSize: 20 })
after(close)

const deps = (processId: string) => ({
  db,
  clock: systemClock,
  log: silentLog,
  metrics: createMetrics(),
  processId,
})

const job = (work: Job['work'], more: Partial<Job> = {}): Job => ({
  name: newId(),
  everyMs: 3_600_000,
  work,
  ...more,
})

test('of twenty processes that want a lease at once, one gets it', async () => {
  const now = new Date()
  const times = { now, until: new Date(now.getTime() + 1000) }
  const name = newId()
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, i) => acquireLease(db, { name, holder: `process ${i}` }, times)),
  )
  assert.equal(taken.filter(Boolean).length, 1)
})

test('a lease is extended by its holder, refused to others, and free when it has run out', async () => {
  const clock = manualClock()
  const name = newId()
  const take = (holder: string) => {
    const now = clock.now()
    return acquireLease(db, { name, holder }, { now, until: new Date(now.getTime() + 1000) })
  }
  assert.equal(await take('a'), true)
  clock.advance(900)
  assert.equal(await take('a'), true)
  assert.equal(await take('b'), false)
  clock.advance(999)
  assert.equal(await take('b'), false)
  clock.advance(1)
  assert.equal(await take('b'), true)
  assert.equal(await take('a'), false)
})

test('only its holder gives a lease back', async () => {
  const now = new Date()
  const times = { now, until: new Date(now.getTime() + 60_000) }
  const name = newId()
  await acquireLease(db, { name, holder: 'a' }, times)
  await releaseLease(db, { name, holder: 'b' })
  assert.equal(await acquireLease(db, { name, holder: 'b' }, times), false)
  await releaseLease(db, { name, holder: 'a' })
  assert.equal(await acquireLease(db, { name, holder: 'b' }, times), true)
})

test('slots of one budget are given away one spacing apart, whoever asks', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  const slots = await Promise.all(Array.from({ length: 10 }, () => reserve(name, 260)))
  const waits = slots
    .map((slot) => (slot.kind === 'granted' ? slot.waitMs : -1))
    .sort((a, b) => a - b)
  assert.deepEqual(
    waits,
    Array.from({ length: 10 }, (_, i) => i * 260),
  )
})

test('no slot is given away further ahead than the caller would wait', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  const kinds = []
  for (let i = 0; i < 5; i++) kinds.push((await reserve(name, 100, { maxWaitMs: 250 })).kind)
  assert.deepEqual(kinds, ['granted', 'granted', 'granted', 'refused', 'refused'])
  clock.advance(300)
  assert.deepEqual(await reserve(name, 100, { maxWaitMs: 250 }), { kind: 'granted', waitMs: 0 })
})

test('an unused budget does not save up slots', async () => {
  const clock = manualClock()
  const reserve = createReserveSlot({ db, clock })
  const name = newId()
  await reserve(name, 100)
  clock.advance(60_000)
  assert.deepEqual(await reserve(name, 100), { kind: 'granted', waitMs: 0 })
  assert.deepEqual(await reserve(name, 100), { kind: 'granted', waitMs: 100 })
})

test('a job is called again at once while it reports more to do', async () => {
  let left = 50
  const jobs = await startJobs([job(async () => --left > 0)], deps('a'))
  await until('all have left', () => left === 0)
  await jobs.stop()
  assert.equal(left, 0)
})

test('a notice wakes a job at once, also one that comes while it works', async () => {
  const channel = `channel_${newId()}`
  const notify = () => db.query(sql('', 'select pg_notify($1, $2)'), [channel, ''])
  let runs = 0
  let release = () => {}
  const jobs = await startJobs(
    [
      job(
        async () => {
          runs++
          if (runs === 2) await new Promise<void>((resolve) => (release = resolve))
          return false
        },
        { wakeOn: [channel] },
      ),
    ],
    deps('a'),
  )
  await until('it ran', () => runs === 1)
  await notify()
  await until('it ran again', () => runs === 2)
  await notify()
  // The listening connection has heard it when a later notice on it would be heard too.
  await until('the lease is free', async () => {
    release()
    return runs >= 3
  })
  await jobs.stop()
})

test('a job that fails is called again, and the others do not notice', async () => {
  let failures = 0
  let others = 0
  const jobs = await startJobs(
    [
      job(
        async () => {
          failures++
          throw new Error('the world is away')
        },
        { everyMs: 1 },
      ),
      job(
        async () => {
          others++
          return false
        },
        { everyMs: 1 },
      ),
    ],
    deps('a'),
  )
  await until('it failed twice, and the other ran', () => failures >= 2 && others > 10)
  await jobs.stop()
})

test('stopping waits for the piece of work under way and begins no other', async () => {
  let began = 0
  let ended = 0
  let release = () => {}
  const jobs = await startJobs(
    [
      job(async () => {
        began++
        await new Promise<void>((resolve) => (release = resolve))
        ended++
        return true
      }),
    ],
    deps('a'),
  )
  await until('it began', () => began === 1)
  let stopped = false
  const stop = jobs.stop().then(() => (stopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(stopped, false)
  release()
  await stop
  assert.deepEqual([began, ended], [1, 1])
})

test('a singleton runs in one process, and in another when the first has stopped', async () => {
  const log: string[] = []
  const single = (processId: string): Job => ({
    name: 'the only one',
    everyMs: 1,
    singleton: true,
    work: ({ signal }) =>
      new Promise((resolve) => {
        log.push(`${processId} works`)
        signal.addEventListener('abort', () => {
          log.push(`${processId} ends`)
          resolve(false)
        })
      }),
  })
  const first = await startJobs([single('a')], deps('a'))
  await until('the first began', () => log.length === 1)
  const second = await startJobs([single('b')], deps('b'))
  await first.stop()
  await until('the second began', () => log.length === 3)
  await second.stop()
  assert.deepEqual(log, ['a works', 'a ends', 'b works', 'b ends'])
})

test('every job beats while it runs and falls silent when its process stops', async () => {
  const jobs = await startJobs([job(async () => false, { name: 'beating' })], deps('beater'))
  const beats = () =>
    db.query(sql('', 'select job from infra.heartbeat where process_id = $1'), ['beater'])
  await until('there is one heartbeat', async () => (await beats()).length === 1)
  await jobs.stop()
  assert.deepEqual(await beats(), [])
})
