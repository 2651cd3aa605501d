import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { testDatabase } from '../testing/database.ts'
import { sql } from './db.ts'
import { createKeptLease } from './kept-lease.ts'
import { acquireLease } from './leases.ts'

const { db, close } = await testDatabase()
after(close)

const DURATION_MS = 9000
const NOW = new Date('2026-03-01T12:00:00Z')

/** A lease of one process, whose clocks are moved by hand. */
function givenLease() {
  const name = newId()
  let monotonicMs = 500
  let wallMs = NOW.getTime()
  const clock = { now: () => new Date(wallMs) }
  const lease = createKeptLease({ name, holder: 'ours' }, DURATION_MS, {
    db,
    clock,
    monotonicMs: () => monotonicMs,
  })
  const written = async () => {
    const read = sql('', 'select holder, until from infra.lease where name = $1')
    const [row] = await db.query<{ holder: string; until: Date }>(read, [name])
    return row && { holder: row.holder, untilMs: row.until.getTime() - NOW.getTime() }
  }
  const takenByAnother = () =>
    acquireLease(db, { name, holder: 'theirs' }, { now: clock.now(), until: new Date(wallMs + 9) })
  return {
    lease,
    written,
    takenByAnother,
    passMs: (milliseconds: number) => {
      monotonicMs += milliseconds
      wallMs += milliseconds
    },
    /** Time passes, and the wall clock is set back by as much. */
    passMonotonicMs: (milliseconds: number) => (monotonicMs += milliseconds),
    /** The machine sleeps, and its monotonic clock with it. */
    passWallMs: (milliseconds: number) => (wallMs += milliseconds),
  }
}

test('a lease is extended when a third of it is spent, and not written before', async () => {
  const { lease, written, passMs } = givenLease()
  assert.equal(await lease.keep(), true)
  assert.deepEqual(await written(), { holder: 'ours', untilMs: 9000 })
  passMs(2999)
  assert.equal(lease.untilDueMs(), 1)
  assert.equal(await lease.keep(), true)
  assert.deepEqual(await written(), { holder: 'ours', untilMs: 9000 })
  passMs(1)
  assert.equal(lease.untilDueMs(), 0)
  assert.equal(await lease.keep(), true)
  assert.deepEqual(await written(), { holder: 'ours', untilMs: 12_000 })
  assert.equal(lease.remainingMs(), 9000)
})

test('a lease that another process has is not kept, and nothing of it remains', async () => {
  const { lease, written, takenByAnother, passMs } = givenLease()
  await lease.keep()
  passMs(9000)
  assert.equal(lease.remainingMs(), 0)
  assert.equal(await takenByAnother(), true)
  assert.equal(await lease.keep(), false)
  assert.equal(lease.remainingMs(), 0)
  await lease.release()
  assert.equal((await written())?.holder, 'theirs')
})

test('the clock that went further says how much of a lease is spent', async () => {
  const stopped = givenLease()
  await stopped.lease.keep()
  stopped.passMonotonicMs(8000)
  assert.equal(stopped.lease.remainingMs(), 1000)
  const asleep = givenLease()
  await asleep.lease.keep()
  asleep.passWallMs(9001)
  assert.equal(asleep.lease.remainingMs(), 0)
  assert.equal(await asleep.takenByAnother(), true)
  assert.equal(await asleep.lease.keep(), false)
})

test('another process has a released lease at once', async () => {
  const { lease, takenByAnother } = givenLease()
  await lease.keep()
  assert.equal(await takenByAnother(), false)
  await lease.release()
  assert.equal(lease.remainingMs(), 0)
  assert.equal(await takenByAnother(), true)
})
