import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPollLoop } from '../jobs/poll-loop.ts'
import { createMemo } from '../process/memo.ts'
import { manualClock } from '../testing/clock.ts'
import { batched } from './batch.ts'
import { tenantServed, withTenant } from './tenant-context.ts'

test('what a request awaits runs on behalf of its tenant, beside that of others', async () => {
  const after = async (): Promise<string | null> => {
    await new Promise(setImmediate)
    return tenantServed()
  }
  assert.deepEqual(await Promise.all([withTenant('a', after), withTenant('b', after)]), ['a', 'b'])
  assert.equal(tenantServed(), null)
})

test('what requests of several tenants share runs on behalf of none of them', async () => {
  const look = batched(async (keys: readonly string[]) => keys.map(tenantServed))
  const recall = createMemo(async () => tenantServed(), { clock: manualClock(), freshMs: 1 })
  const runs: (string | null)[] = []
  const { promise: hasRun, resolve: ran } = Promise.withResolvers<void>()
  const loop = startPollLoop({
    ...{ firstMs: Number.POSITIVE_INFINITY, pollMs: Number.POSITIVE_INFINITY, restMs: 0 },
    run: async () => {
      runs.push(tenantServed())
      ran()
    },
    onError: () => {},
  })
  assert.deepEqual(await withTenant('a', () => Promise.all([look('x'), look('y')])), [null, null])
  assert.equal(await withTenant('a', recall), null)
  withTenant('a', loop.wake)
  await hasRun
  assert.deepEqual(runs, [null])
  await loop.stop()
})
