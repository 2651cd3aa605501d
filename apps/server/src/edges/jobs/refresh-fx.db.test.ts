import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMetrics } from '#infra/process/metrics'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import { createRefreshFx } from './refresh-fx.ts'

let test: TestDatabase
const clock = manualClock(new Date('2026-11-20T15:00:00Z'))
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

it('raises an alarm for a rate that is rejected and for one that is too old', async () => {
  const alarms: string[] = []
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: { alarm?: string }) => alarms.push(fields.alarm ?? '?'),
  }
  const job = (micros: bigint, asOf: string) =>
    createRefreshFx({
      db: test.db,
      clock,
      log,
      metrics: createMetrics(),
      source: { fetch: async () => ({ usdPerEurMicros: micros, asOf }) },
    })
  const run = { signal: AbortSignal.timeout(10_000), processId: 'test' }
  assert.equal(await job(1_157_400n, '2026-11-20').work(run), false)
  assert.deepEqual(alarms, [])
  await job(1n, '2026-11-20').work(run)
  assert.deepEqual(alarms.splice(0), ['fx_rate_rejected'])
  clock.advance(9 * 86_400_000)
  await job(1_157_400n, '2026-11-20').work(run)
  assert.deepEqual(alarms, ['fx_rate_too_old'])
})
