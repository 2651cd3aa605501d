import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { manualClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { type Queryable, sql } from './db.ts'
import { acquireLease, createBeginLease, releaseLease } from './leases.ts'

const { db, url, close } = await testDatabase({ poolSize: 20 })
after(close)

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

/** A lease of ten seconds and the clocks that measure it, all moved by hand but the database's. */
async function aLease(durationMs = 10_000) {
  const wall = manualClock()
  let monotonicMs = 0
  const begin = createBeginLease({ db, clock: wall, monotonicMs: () => monotonicMs })
  return {
    lease: await begin(durationMs),
    pass: (clocks: { monotonicMs?: number; wallMs?: number }): void => {
      monotonicMs += clocks.monotonicMs ?? 0
      wall.advance(clocks.wallMs ?? 0)
    },
  }
}

test('the time that is left of a lease is a plain subtraction while all clocks agree', async () => {
  const { lease, pass } = await aLease()
  assert.equal(lease.remainingMs(), 10_000)
  pass({ monotonicMs: 4000, wallMs: 4000 })
  assert.equal(lease.remainingMs(), 6000)
  pass({ monotonicMs: 7000, wallMs: 7000 })
  assert.equal(lease.remainingMs(), 0)
})

test('a machine that slept while its monotonic clock stood still has less time left', async () => {
  const { lease, pass } = await aLease()
  pass({ monotonicMs: 10, wallMs: 9000 })
  assert.equal(lease.remainingMs(), 1000)
})

test('a wall clock that is set back gives no time back, before and after a confirmation', async () => {
  const { lease, pass } = await aLease()
  pass({ monotonicMs: 4000, wallMs: -60_000 })
  assert.equal(lease.remainingMs(), 6000)
  pass({ wallMs: 65_000 })
  assert.equal(lease.remainingMs(), 5000)
  assert.equal(await lease.confirmRemainingMs(), 5000)
  pass({ wallMs: -65_000 })
  assert.equal(lease.remainingMs(), 5000)
})

test('a machine whose clocks all stood still learns from the database that the lease is over', async () => {
  const { lease } = await aLease(50)
  await db.query(sql('', 'select pg_sleep(0.06)'))
  assert.equal(lease.remainingMs(), 50)
  assert.equal(await lease.confirmRemainingMs(), 0)
  assert.equal(lease.remainingMs(), 0)
})

test('leases that begin at about the same time share one read of the database, which makes none longer', async () => {
  const clock = manualClock()
  let monotonicMs = 0
  let reads = 0
  const counted: Queryable = {
    query: (statement, values) => {
      reads++
      return db.query(statement, values)
    },
  }
  const begin = createBeginLease({ db: counted, clock, monotonicMs: () => monotonicMs })
  await begin(50)
  await db.query(sql('', 'select pg_sleep(0.03)'))
  const second = await begin(50)
  assert.equal(reads, 1)
  assert.ok((await second.confirmRemainingMs()) <= 20, 'it is measured from the read before it')
  monotonicMs += 1000
  await begin(50)
  assert.equal(reads, 3, 'an old read is not used')
})

test('confirmations at once wait for one statement after the other, each for one begun after it was asked', async () => {
  const reads: { finish(): void }[] = []
  let databaseMs = 0
  const held: Queryable = {
    query: <Row>() =>
      new Promise<Row[]>((resolve) => {
        const ms = databaseMs
        reads.push({ finish: () => resolve([{ ms }] as Row[]) })
      }),
  }
  const begin = createBeginLease({ db: held, clock: manualClock(), monotonicMs: () => 0 })
  const turn = (): Promise<void> => new Promise(setImmediate)
  const beginning = begin(1000)
  await turn()
  reads[0]?.finish()
  const lease = await beginning
  const first = lease.confirmRemainingMs()
  await turn()
  databaseMs = 400
  const later = Array.from({ length: 50 }, () => lease.confirmRemainingMs())
  await turn()
  assert.equal(reads.length, 2, 'those that ask while a statement runs begin none')
  reads[1]?.finish()
  assert.equal(await first, 1000)
  await turn()
  reads[2]?.finish()
  assert.deepEqual(new Set(await Promise.all(later)), new Set([600]), 'and get a newer answer')
  assert.equal(reads.length, 3)
})

test('a process that was stopped finds its lease expired as soon as it goes on', async () => {
  const child = spawn(process.execPath, [`${import.meta.dirname}/../testing/lease-holder.ts`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, LEASE_DATABASE_URL: url, LEASE_MS: '1500' },
  })
  const answer = answersOf(child)
  try {
    assert.ok((await answer()) > 0, 'it holds the lease')
    child.kill('SIGSTOP')
    const stoppedAt = performance.now()
    await until('the lease is over', () => performance.now() - stoppedAt > 1500)
    child.kill('SIGCONT')
    assert.equal(await answer(), 0)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

/** Asks the holder, and returns how much of its lease it believes to have left. */
function answersOf(child: ChildProcess): () => Promise<number> {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the child has no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return async () => {
    stdin.write('remaining?\n')
    const { value } = await lines.next()
    return Number(value)
  }
}
