import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_ENTRIES, newLog, resetOf, stampOf, take, usedOf, waitOf } from './window-log.ts'

const WINDOW_MS = 60_000

test('what was taken counts for a whole window and not a moment longer', () => {
  const log = newLog()
  take(log, 5, 1000)
  assert.equal(usedOf(log, 60_999.999, WINDOW_MS), 5)
  assert.equal(resetOf(log, 60_999, WINDOW_MS), 1)
  assert.equal(usedOf(log, 61_000, WINDOW_MS), 0)
  assert.equal(resetOf(log, 61_000, WINDOW_MS), 0)
})

test('the wait is until enough has left, however many entries that takes', () => {
  const log = newLog()
  for (const [cost, at] of [
    [1, 0],
    [1, 100],
    [5, 200],
    [3, 300],
  ] as const) {
    take(log, cost, at)
  }
  const wait = (cost: number) => waitOf(log, { cost, limit: 10, nowMs: 1000, windowMs: WINDOW_MS })
  assert.deepEqual(
    [0, 1, 2, 3, 7, 8, 10].map(wait),
    [0, 59_000, 59_100, 59_200, 59_200, 59_300, 59_300],
  )
})

test('a log holds what a list would hold, in whatever order things come and go', () => {
  const step = fc.record({
    pauseMs: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 70_000 })),
    cost: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const log = newLog()
      let list: { at: number; cost: number }[] = []
      let now = 0
      for (const { pauseMs, cost } of steps) {
        now += pauseMs
        list = list.filter(({ at }) => at > now - WINDOW_MS)
        const sum = list.reduce((total, entry) => total + entry.cost, 0)
        assert.equal(usedOf(log, now, WINDOW_MS), sum)
        take(log, cost, now)
        list.push({ at: now, cost })
      }
    }),
    { numRuns: 200 },
  )
})

test('the memory of a limit of millions is bounded, and what it holds never leaves early', () => {
  const log = newLog()
  const limit = 360 * 10_000
  const lastMs = 150_000
  for (let now = 0; now < lastMs; now += 0.5) {
    usedOf(log, now, WINDOW_MS)
    take(log, 1, stampOf(now, limit, WINDOW_MS))
  }
  assert.ok(log.stamps.length <= 2 * MAX_ENTRIES, `${log.stamps.length} entries`)
  const used = usedOf(log, lastMs, WINDOW_MS)
  const slotTakes = Math.ceil((WINDOW_MS / MAX_ENTRIES) * 2)
  assert.ok(used >= 2 * WINDOW_MS - 1 && used <= 2 * WINDOW_MS + slotTakes, `${used}`)
})
