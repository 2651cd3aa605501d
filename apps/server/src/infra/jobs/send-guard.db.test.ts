import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { manualClock } from '../testing/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { createSendGuard, type SendGuardOptions } from './send-guard.ts'

const LEASE_MS = 60_000

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

function aGuard(
  renew: () => Promise<boolean> = async () => true,
  noting?: SendGuardOptions['noting'],
) {
  const clock = manualClock()
  let ms = 0
  const time = { advance: (byMs: number) => (ms += byMs) }
  const guard = createSendGuard({
    db: database.db,
    clock,
    monotonicMs: () => ms,
    leaseMs: LEASE_MS,
    renew,
    ...(noting && { noting }),
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

it('a call is noted after its intent, and leaves only when it was noted', async () => {
  const steps: string[] = []
  const noting = {
    isReady: () => true,
    note: () => {
      steps.push('noted')
      return steps.length < 4
    },
  }
  const { guard } = aGuard(async () => {
    steps.push('committed')
    return true
  }, noting)
  assert.equal(await guard.begin(), true)
  assert.equal(await guard.begin(), false)
  assert.deepEqual(steps, ['committed', 'noted', 'committed', 'noted'])
  assert.equal(guard.remainingMs(), 0)
})

it('where nothing may be noted no intent is committed', async () => {
  const renew = async (): Promise<boolean> => assert.fail('nothing is committed')
  const { guard } = aGuard(renew, { isReady: () => false, note: () => assert.fail('not noted') })
  assert.equal(await guard.begin(), false)
})
