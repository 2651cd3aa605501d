import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { manualClock } from '../testing/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { createSendGuard } from './send-guard.ts'

const LEASE_MS = 60_000

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

function aGuard(renew: () => Promise<boolean> = async () => true) {
  const clock = manualClock()
  let ms = 0
  const time = { advance: (byMs: number) => (ms += byMs) }
  const guard = createSendGuard({
    db: database.db,
    clock,
    monotonicMs: () => ms,
    leaseMs: LEASE_MS,
    renew,
  })
  return { guard, clock, monotonic: time }
}

it('a lease has nothing left before it was renewed, nor when it is no longer ours', async () => {
  let isOurs = true
  const { guard } = aGuard(async () => isOurs)
  assert.equal(guard.remainingMs(), 0)
  assert.equal(await guard.begin(), true)
  assert.ok(guard.remainingMs() > 0)
  isOurs = false
  assert.equal(await guard.begin(), false)
  assert.equal(guard.remainingMs(), 0)
})

it('a suspension that only one of the clocks has seen ends it all the same', async () => {
  for (const name of ['clock', 'monotonic'] as const) {
    const { guard, ...clocks } = aGuard()
    await guard.begin()
    clocks[name].advance(LEASE_MS)
    assert.equal(guard.remainingMs(), 0, name)
  }
})

it('a renewal that was suspended renews nothing', async () => {
  const { guard, monotonic } = aGuard(async () => {
    monotonic.advance(LEASE_MS)
    return true
  })
  assert.equal(await guard.begin(), false)
})
