import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { testDatabase } from '../testing/database.ts'
import { sql } from './db.ts'
import { createKeptLeases } from './kept-lease.ts'
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
  const keep = createKeptLeases(DURATION_MS, { db, clock, monotonicMs: () => monotonicMs })
  const lease = keep({ name, holder: 'ours' })
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

const namesOf = async (holder: string): Promise<string[]> => {
  const read = sql('', 'select name, until from infra.lease where holder = $1 order by name')
  const rows = await db.query<{ name: string; until: Date }>(read, [holder])
  return rows.map(({ name, until }) => `${name} ${until.getTime() - NOW.getTime()}`)
}

/** Several of one process, whose clocks are moved by hand together. */
function givenLeases(...names: readonly string[]) {
  let passedMs = 0
  const holder = newId()
  const keep = createKeptLeases(DURATION_MS, {
    db,
    clock: { now: () => new Date(NOW.getTime() + passedMs) },
    monotonicMs: () => passedMs,
  })
  const leases = names.map((name) => keep({ name: `${holder} ${name}`, holder }))
  return {
    holder,
    leases,
    passMs: (milliseconds: number) => (passedMs += milliseconds),
    written: async () => (await namesOf(holder)).map((one) => one.slice(holder.length + 1)),
  }
}

test('leases that are in use are extended along with one that is due', async () => {
  const { leases, passMs, written } = givenLeases('a', 'b', 'c')
  const [a, b, c] = leases
  await a?.keep()
  passMs(700)
  await b?.keep()
  passMs(2299)
  await c?.keep()
  assert.deepEqual(await written(), ['a 11999', 'b 11999', 'c 11999'])
  passMs(2999)
  for (const one of leases) assert.equal(await one.keep(), true)
  assert.deepEqual(await written(), ['a 11999', 'b 11999', 'c 11999'])
  passMs(1)
  for (const one of leases) assert.equal(await one.keep(), true)
  assert.deepEqual(await written(), ['a 14999', 'b 14999', 'c 14999'])
})

test('a lease of which less than a quarter is spent is not written with one that is acquired', async () => {
  const { leases, passMs, written } = givenLeases('a', 'b', 'c')
  const [a, b, c] = leases
  await a?.keep()
  passMs(2249)
  await b?.keep()
  assert.deepEqual(await written(), ['a 9000', 'b 11249'])
  passMs(1)
  await c?.keep()
  assert.deepEqual(await written(), ['a 11250', 'b 11249', 'c 11250'])
})

test('a lease that is not used or was released is not extended along with others', async () => {
  const { leases, passMs, written } = givenLeases('a', 'b', 'c')
  const [a, b, c] = leases
  await b?.keep()
  await c?.keep()
  await c?.release()
  for (let passed = 0; passed < 4; passed++) {
    passMs(3000)
    await a?.keep()
  }
  assert.deepEqual(await written(), ['a 21000', 'b 15000'])
  assert.equal(b?.remainingMs(), 3000)
})

test('one that another process has acquired meanwhile is lost, and the others are kept', async () => {
  const { leases, passMs, holder } = givenLeases('a', 'b')
  const [a, b] = leases
  await a?.keep()
  await b?.keep()
  const stolen = { name: `${holder} b`, holder: newId() }
  const at = new Date(NOW.getTime() + 20_000)
  await acquireLease(db, stolen, { now: at, until: new Date(at.getTime() + DURATION_MS) })
  passMs(3000)
  assert.equal(await a?.keep(), true)
  assert.equal(b?.remainingMs(), 0)
  assert.equal(await b?.keep(), false)
})

test('what another process holds is asked for again after a second', async () => {
  const { leases, passMs, holder } = givenLeases('a')
  const [a] = leases
  const other = { name: `${holder} a`, holder: newId() }
  await acquireLease(db, other, { now: NOW, until: new Date(NOW.getTime() + 500) })
  assert.equal(await a?.keep(), false)
  passMs(999)
  assert.equal(await a?.keep(), false)
  passMs(1)
  assert.equal(await a?.keep(), true)
})
