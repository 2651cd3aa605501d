import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { newId } from '#kernel/id'
import { openDb, type Queryable, type Statement, sql } from '../database/db.ts'
import { testDatabase } from '../testing/database.ts'
import { createJobLeases, RENEW_MS } from './job-leases.ts'

const { url, close } = await testDatabase()
after(close)

const LEASE_MS = 10_000
const NOW = new Date('2026-03-01T12:00:00Z')
const WRITTEN = sql('', 'select name, until from infra.lease where holder = $1 order by name')

const turn = (): Promise<void> => new Promise(setImmediate)

/** Processes whose clocks and timers are moved by hand. */
function givenProcesses(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const db = openDb({ url, poolSize: 4 })
  t.after(() => db.close())
  const prefix = newId()
  const passed = { monotonicMs: 0, wallMs: 0 }
  let underWay = 0
  const settled = async () => {
    do await turn()
    while (underWay > 0)
  }
  const aProcess = () => {
    const holder = newId()
    const moved: string[] = []
    const warnings: string[] = []
    const statements: string[] = []
    /** `meet` is called before each statement of the process, `answered` after it. */
    const database = { meet: async (_: Statement) => {}, answered: () => {} }
    const query: Queryable['query'] = async (statement, values) => {
      underWay++
      statements.push(statement.name)
      try {
        await database.meet(statement)
        const rows = await db.query(statement, values)
        database.answered()
        return rows as never
      } finally {
        underWay--
      }
    }
    const ignore = () => {}
    const leases = createJobLeases({
      db: { query },
      clock: { now: () => new Date(NOW.getTime() + passed.wallMs) },
      log: {
        ...{ debug: ignore, info: ignore, error: ignore },
        warn: (_, message) => warnings.push(message),
      },
      monotonicMs: () => passed.monotonicMs,
    })
    return {
      ...{ moved, warnings, statements, database },
      lease: (name: string) =>
        leases({ name: `${prefix} ${name}`, holder }, () => moved.push(name)),
      /** What it has in the database, and until when. */
      written: async () => {
        const rows = await db.query<{ name: string; until: Date }>(WRITTEN, [holder])
        return rows.map(({ name, until }) => {
          const untilMs = until.getTime() - NOW.getTime()
          return `${name.slice(prefix.length + 1)} ${untilMs}`
        })
      },
    }
  }
  return {
    ...{ aProcess, passed, settled },
    pass: async (milliseconds: number) => {
      passed.monotonicMs += milliseconds
      passed.wallMs += milliseconds
      t.mock.timers.tick(milliseconds)
      await settled()
      // The rest of the loop that asks, and what was asked for during it.
      for (let i = 0; i < 2; i++) {
        t.mock.timers.tick(0)
        await settled()
      }
    },
  }
}

test('all leases of a process are acquired in one statement, and extended in one each third of their time', async (t) => {
  const { aProcess, pass } = givenProcesses(t)
  const { lease, statements, written, moved } = aProcess()
  const all = ['a', 'b', 'c'].map(lease)
  for (const one of all) assert.equal(one.acquire(), null)
  await pass(0)
  assert.deepEqual(moved, ['a', 'b', 'c'])
  const signals = all.map((one) => one.acquire())
  for (const signal of signals) assert.equal(signal?.aborted, false)
  await pass(RENEW_MS - 1)
  assert.deepEqual(await written(), ['a 10000', 'b 10000', 'c 10000'])
  await pass(1)
  assert.deepEqual(await written(), ['a 13333', 'b 13333', 'c 13333'])
  assert.equal(statements.length, 2)
  assert.deepEqual(
    all.map((one) => one.acquire()),
    signals,
  )
})

test('a lease that another process holds is asked for each third, and its job is woken once it is free', async (t) => {
  const { aProcess, pass } = givenProcesses(t)
  const first = aProcess()
  const a = first.lease('a')
  a.acquire()
  await pass(0)
  const second = aProcess()
  const same = second.lease('a')
  same.acquire()
  await pass(RENEW_MS)
  assert.deepEqual([same.acquire(), second.moved], [null, []])
  await a.release()
  assert.deepEqual(await first.written(), [])
  await pass(RENEW_MS)
  assert.deepEqual(second.moved, ['a'])
  assert.equal(same.acquire()?.aborted, false)
})

test('one that another process has acquired meanwhile is lost, not released, and the others are kept', async (t) => {
  const { aProcess, passed, pass } = givenProcesses(t)
  const first = aProcess()
  const [a, b] = [first.lease('a'), first.lease('b')]
  a.acquire()
  b.acquire()
  await pass(0)
  const [ofA, ofB] = [a.acquire(), b.acquire()]
  // By the clock of another machine, which is ahead.
  passed.wallMs = LEASE_MS
  const second = aProcess()
  second.lease('b').acquire()
  await pass(0)
  assert.deepEqual(second.moved, ['b'])
  passed.wallMs = 0
  await pass(RENEW_MS)
  assert.deepEqual([ofA?.aborted, ofB?.aborted, b.acquire()], [false, true, null])
  assert.deepEqual(first.moved, ['a', 'b', 'b'])
  await b.release()
  assert.equal((await second.written()).length, 1)
})

test('the clock that went further says that a lease has expired, although no timer has fired', async (t) => {
  for (const clock of ['monotonicMs', 'wallMs'] as const) {
    const { aProcess, passed, pass } = givenProcesses(t)
    const lease = aProcess().lease(clock)
    lease.acquire()
    await pass(0)
    const signal = lease.acquire()
    passed[clock] += LEASE_MS - 1
    assert.equal(lease.acquire(), signal)
    passed[clock] += 1
    assert.equal(lease.acquire(), null)
    assert.equal(signal?.aborted, true)
    t.mock.timers.reset()
  }
})

test('leases that cannot be extended are lost when they expire, and acquired again when they can', async (t) => {
  const { aProcess, pass } = givenProcesses(t)
  const { lease, database, warnings, moved } = aProcess()
  const a = lease('a')
  a.acquire()
  await pass(0)
  const signal = a.acquire()
  database.meet = () => Promise.reject(new Error('gone'))
  await pass(RENEW_MS)
  assert.deepEqual(warnings, ['lease not extended'])
  await pass(RENEW_MS)
  await pass(LEASE_MS - 2 * RENEW_MS - 1)
  assert.equal(signal?.aborted, false)
  await pass(1)
  assert.equal(signal?.aborted, true)
  assert.equal(a.acquire(), null)
  database.meet = async () => {}
  await pass(RENEW_MS)
  assert.deepEqual(moved, ['a', 'a', 'a'])
  assert.equal(a.acquire()?.aborted, false)
})

test('an answer that comes after the lease has expired gives nothing', async (t) => {
  const { aProcess, passed, pass } = givenProcesses(t)
  const { lease, database, moved } = aProcess()
  const [a, b] = [lease('a'), lease('b')]
  a.acquire()
  await pass(0)
  const signal = a.acquire()
  database.answered = () => {
    passed.monotonicMs += LEASE_MS
  }
  b.acquire()
  await pass(0)
  assert.deepEqual([signal?.aborted, a.acquire(), b.acquire()], [true, null, null])
  assert.deepEqual(moved, ['a', 'a'])
})

test('a lease that was released is not extended along with others', async (t) => {
  const { aProcess, pass } = givenProcesses(t)
  const { lease, written } = aProcess()
  const [a, b] = [lease('a'), lease('b')]
  a.acquire()
  b.acquire()
  await pass(0)
  const signal = b.acquire()
  await b.release()
  assert.equal(signal?.aborted, true)
  await pass(RENEW_MS)
  assert.deepEqual(await written(), ['a 13333'])
})

test('a release that is late does not take the lease that is acquired after it', async (t) => {
  const { aProcess, pass, settled } = givenProcesses(t)
  const { lease, database, written } = aProcess()
  const a = lease('a')
  a.acquire()
  await pass(0)
  let deleteNow = () => {}
  database.meet = ({ name }) =>
    name === 'infra_release_lease'
      ? new Promise((resolve) => (deleteNow = resolve))
      : Promise.resolve()
  const releasing = a.release()
  await turn()
  a.acquire()
  t.mock.timers.tick(0)
  await turn()
  assert.deepEqual(await written(), ['a 10000'])
  assert.equal(a.acquire(), null)
  deleteNow()
  await releasing
  await settled()
  assert.equal(a.acquire()?.aborted, false)
  assert.deepEqual(await written(), ['a 10000'])
})

test('a lease that is released while it is being acquired is not kept', async (t) => {
  const { aProcess } = givenProcesses(t)
  const { lease, statements, written, moved } = aProcess()
  const a = lease('a')
  a.acquire()
  t.mock.timers.tick(0)
  await turn()
  assert.deepEqual(statements, ['infra_acquire_leases'])
  await a.release()
  assert.deepEqual(await written(), [])
  assert.deepEqual(moved, [])
})
