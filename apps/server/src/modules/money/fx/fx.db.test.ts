import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { Refusal } from '#kernel/refusal'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { createRateReader } from './current-rate.ts'
import { refreshRate } from './refresh.ts'

let test: TestDatabase
const clock = manualClock()
beforeEach(async () => {
  clock.set(new Date('2026-11-20T15:00:00Z'))
  test = await testDatabase()
})
afterEach(() => test.close())

const source = (usdPerEurMicros: bigint, asOf: string) => ({
  fetch: async () => ({ usdPerEurMicros, asOf }),
})
const refresh = (usdPerEurMicros: bigint, asOf: string) =>
  refreshRate({ db: test.db, clock, source: source(usdPerEurMicros, asOf) })

const isDisabled = (error: unknown): boolean =>
  error instanceof Refusal && error.key === 'SERVICE_DISABLED'

it('without any rate euro prices are refused, and go on as soon as there is one', async () => {
  const read = createRateReader({ db: test.db, clock })
  await assert.rejects(read(), isDisabled)
  await refresh(1_157_400n, '2026-11-20')
  assert.deepEqual(await read(), { usdPerEurMicros: 1_157_400n, asOf: '2026-11-20' })
})

it('a rate older than seven days is refused, also one that is remembered', async () => {
  const read = createRateReader({ db: test.db, clock })
  await refresh(1_157_400n, '2026-11-20')
  await read()
  clock.set(new Date('2026-11-27T23:59:59Z'))
  await read()
  clock.set(new Date('2026-11-28T00:00:00Z'))
  await assert.rejects(read(), isDisabled)
})

it('a newer rate holds within five seconds, and a rejected one never does', async () => {
  const read = createRateReader({ db: test.db, clock })
  await refresh(1_157_400n, '2026-11-19')
  await read()
  assert.equal((await refresh(1_160_000n, '2026-11-20')).rejected, null)
  clock.advance(5000)
  assert.equal((await read()).usdPerEurMicros, 1_160_000n)
  const rejected = await refresh(1_900_000n, '2026-11-20')
  assert.notEqual(rejected.rejected, null)
  assert.deepEqual([rejected.ageDays, rejected.tooOld], [0, false])
  clock.advance(5000)
  assert.equal((await read()).usdPerEurMicros, 1_160_000n)
})
