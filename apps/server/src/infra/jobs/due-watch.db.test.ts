import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { newId } from '#kernel/id'
import { type Db, sql } from '../database/db.ts'
import { systemClock } from '../process/clock.ts'
import { silentLog } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { type DueQuestion, dueWhere, startDueWatch } from './due-watch.ts'
import { type Job, startJobs } from './jobs.ts'

const { db, close } = await testDatabase({ poolSize: 10 })
after(close)

const ALWAYS = dueWhere('test.always', 'true')
const NEVER = dueWhere('test.never', 'false')

/** Due for the keys that are written under the name. */
const KEPT: DueQuestion = {
  name: 'test.kept',
  text: `select name from infra.setting where value ->> 'due' = 'yes'`,
}
const setDue = (key: string) =>
  db.query(
    sql('test.set_due', `insert into infra.setting (name, value) values ($1, '{"due": "yes"}')`),
    [key],
  )

function givenWatch(t: TestContext, on: Pick<Db, 'query'> = db) {
  const watch = startDueWatch({ db: on as Db, clock: systemClock, log: silentLog })
  t.after(() => watch.stop())
  return watch
}

async function givenJobs(t: TestContext, jobs: readonly Job[], on?: Pick<Db, 'query'>) {
  const running = await startJobs(jobs, {
    ...{ db, clock: systemClock, log: silentLog, metrics: createMetrics() },
    ...{ processId: newId(), dueWatch: givenWatch(t, on) },
  })
  t.after(() => running.stop())
}

const counted = (due: Job['due'], more: Partial<Job> = {}) => {
  const one = { runs: 0 }
  const job: Job = {
    name: newId(),
    everyMs: 100,
    ...(due && { due }),
    work: async () => {
      one.runs++
      return false
    },
    ...more,
  }
  return { one, job }
}

/** One at the start, and one after each pause since, however slow the machine is. */
const mostRuns = (pauseMs: number) => {
  const begunAt = performance.now()
  return (runs: number): void => {
    const most = 1 + (performance.now() - begunAt) / pauseMs
    assert.ok(runs >= 1 && runs <= most, `it ran ${runs} times, ${most} at most`)
  }
}

test('a job of whose queue nothing is due does not run again while others do', async (t) => {
  const idle = counted({ question: NEVER })
  const busy = counted({ question: ALWAYS })
  const mostIn = mostRuns(5000)
  await givenJobs(t, [idle.job, busy.job])
  await until('the busy one ran ten times', () => busy.one.runs >= 10)
  mostIn(idle.one.runs)
})

test('a job runs when something is due for its key, and not for that of another', async (t) => {
  const [key, otherKey] = [newId(), newId()]
  const own = counted({ question: KEPT, key })
  const other = counted({ question: KEPT, key: otherKey }, { everyMs: 3_600_000 })
  const tick = counted({ question: ALWAYS })
  await givenJobs(t, [own.job, other.job, tick.job])
  await until('both have run once', () => own.one.runs > 0 && other.one.runs > 0)
  await setDue(key)
  await until('it ran thrice more', () => own.one.runs >= 4)
  assert.equal(other.one.runs, 1)
})

test('what is due wakes a job no more often than it asks for', async (t) => {
  const seldom = counted({ question: ALWAYS }, { everyMs: 3_600_000 })
  const often = counted({ question: ALWAYS })
  await givenJobs(t, [seldom.job, often.job])
  await until('the other ran ten times', () => often.one.runs >= 10)
  assert.equal(seldom.one.runs, 1)
})

test('what is due while a job works does not run it again before its interval', async (t) => {
  const often = counted({ question: ALWAYS })
  const long = { runs: 0, release: () => {} }
  const slow = counted(
    { question: ALWAYS },
    {
      everyMs: 3_600_000,
      work: async () => {
        long.runs++
        await new Promise<void>((resolve) => (long.release = resolve))
        return false
      },
    },
  )
  await givenJobs(t, [slow.job, often.job])
  await until(
    'it works, and the other has run ten times',
    () => long.runs === 1 && often.one.runs >= 10,
  )
  long.release()
  const before = often.one.runs
  await until('the other ran ten times more', () => {
    long.release()
    return often.one.runs >= before + 10
  })
  assert.equal(long.runs, 1)
})

test('a job that fails is not tried again for what is due before its pause is over', async (t) => {
  let failures = 0
  const mostIn = mostRuns(10_000)
  const failing = counted(
    { question: ALWAYS },
    {
      everyMs: 3_600_000,
      work: async () => {
        failures++
        throw new Error('on purpose')
      },
    },
  )
  const often = counted({ question: ALWAYS })
  await givenJobs(t, [failing.job, often.job])
  await until('the other ran ten times', () => often.one.runs >= 10)
  mostIn(failures)
})

test('while the queues cannot be asked every job runs', async (t) => {
  const idle = counted({ question: NEVER })
  const broken: Pick<Db, 'query'> = { query: () => Promise.reject(new Error('gone')) }
  await givenJobs(t, [idle.job], broken)
  await until('it ran thrice', () => idle.one.runs >= 3)
})

test('a question is asked once for all who share it, and no more when all have left', async (t) => {
  const texts: string[] = []
  const watch = givenWatch(t, {
    query: (statement, values) => {
      texts.push(statement.text)
      return db.query(statement, values)
    },
  })
  let woken = 0
  const wake = () => void woken++
  const due = { question: ALWAYS, key: '' }
  const leave = [watch.add(due, wake), watch.add(due, wake)]
  await until('both are woken', () => woken >= 2)
  assert.equal(texts.at(-1)?.split('test.always').length, 2)
  for (const one of leave) one()
  const asked = texts.length
  watch.add({ question: NEVER, key: '' }, wake)
  await until('the next was asked', () => texts.length > asked + 1)
  assert.doesNotMatch(texts.at(-1) ?? '', /test\.always/)
})
