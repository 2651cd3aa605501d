import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { sql } from '../database/db.ts'
import { systemClock } from '../process/clock.ts'
import { silentLog } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { createJobLeases } from './job-leases.ts'
import { type Job, pauseAfter, startJobs } from './jobs.ts'

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
  await until('the lease is free', async () => {
    release()
    return runs >= 3
  })
  await jobs.stop()
})

test('a job that fails is called again, and the others go on', async () => {
  let failures = 0
  let others = 0
  const jobs = await startJobs(
    [
      job(
        async () => {
          failures++
          throw new Error('the supplier is down')
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

test('a job that runs seldom is tried again soon after a failure, and ever more rarely', () => {
  const pauses = (everyMs: number) => [1, 2, 3, 6, 50].map((times) => pauseAfter(times, everyMs))
  assert.deepEqual(pauses(300_000), [10_000, 20_000, 40_000, 300_000, 300_000])
  assert.deepEqual(pauses(1_000), [1_000, 2_000, 4_000, 10_000, 10_000])
  assert.deepEqual(pauses(0), [200, 400, 800, 6_400, 10_000])
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

test('a singleton that waits for its next run gives another process its lease when it stops', async () => {
  const name = newId()
  let hasRun = false
  const work = async () => {
    hasRun = true
    return false
  }
  const jobs = await startJobs([job(work, { name, singleton: true })], deps('a'))
  await until('it ran', () => hasRun)
  await jobs.stop()
  const held = sql('', 'select from infra.lease where name = $1')
  assert.deepEqual(await db.query(held, [name]), [])
})

test('a singleton that fails in one process for a minute is run by another', async () => {
  let nowMs = Date.now()
  const clock = { ...systemClock, now: () => new Date(nowMs) }
  const name = newId()
  let failed = 0
  let worked = 0
  const fails = async () => {
    failed += 1
    throw new Error('on purpose')
  }
  const works = async () => {
    worked += 1
    return false
  }
  const options = { name, everyMs: 1, singleton: true }
  // Only what the job measures is moved by hand: no lease expires.
  const leases = createJobLeases(deps('a'))
  const first = await startJobs([job(fails, options)], { ...deps('a'), clock, leases })
  await until('the first failed', () => failed > 0)
  const second = await startJobs([job(works, options)], deps('b'))
  nowMs += 59_000
  const before = failed
  await until('the first failed again', () => {
    first.wake(name)
    return failed > before + 1
  })
  assert.equal(worked, 0)
  nowMs += 1000
  await until('the second works', () => {
    first.wake(name)
    return worked > 0
  })
  await first.stop()
  await second.stop()
})

test('the work of a singleton is aborted and its figures are reset when another process has its lease', async () => {
  const name = newId()
  const own = deps('a')
  const gauge = own.metrics.gauge('height', 'Of something', ['of'])
  const work: Job['work'] = async ({ signal }) => {
    gauge.labels('it').set(1)
    await once(signal, 'abort')
    return false
  }
  const jobs = await startJobs(
    [job(work, { name, everyMs: 5, singleton: true, figures: [gauge] })],
    own,
  )
  const measured = async () => (await gauge.get()).values.length
  await until('it was measured', async () => (await measured()) === 1)
  const taken = `update infra.lease set holder = 'b', until = now() + interval '1 hour' where name = $1`
  await db.query(sql('', taken), [name])
  await until('it is not ours to say any more', async () => (await measured()) === 0)
  await jobs.stop()
})

test('a job that has never succeeded is silent since its process began', async () => {
  const name = newId()
  const own = deps('a')
  const before = Date.now() / 1000
  const fails = async () => {
    throw new Error('on purpose')
  }
  const jobs = await startJobs([job(fails, { name, everyMs: 60_000 })], own)
  const text = await own.metrics.text()
  const gaugeOf = (metric: string) =>
    Number(new RegExp(`^tradepost_${metric}{job_name="${name}"} (\\S+)$`, 'm').exec(text)?.[1])
  assert.ok(gaugeOf('job_last_success_seconds') >= before - 1)
  assert.equal(gaugeOf('job_every_seconds'), 60)
  await jobs.stop()
})

test('every job has a heartbeat while it runs and none when its process has stopped', async () => {
  const jobs = await startJobs([job(async () => false, { name: 'beating' })], deps('beater'))
  const beats = () =>
    db.query(sql('', 'select job from infra.heartbeat where process_id = $1'), ['beater'])
  await until('there is one heartbeat', async () => (await beats()).length === 1)
  await jobs.stop()
  assert.deepEqual(await beats(), [])
})
