import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claim } from './claim.ts'
import { createLocalStore } from './local-store.ts'
import { heaviestWindow } from './testing/heaviest-window.ts'

const WINDOW_MS = 60_000

const request = fc.record({
  pauseMs: fc.oneof(
    fc.double({ min: 0, max: 500, noNaN: true }),
    fc.integer({ min: 0, max: 65_000 }),
  ),
  cost: fc.constantFrom(1, 1, 5),
  capped: fc.boolean(),
})

test('no window of sixty seconds ever holds more than the budget or the cap, and no request that fits is refused', () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 50, maxLength: 600 }),
      fc.constantFrom(60, 180),
      fc.integer({ min: 5, max: 40 }),
      (requests, budget, cap) => {
        let now = 0
        const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => now })
        const all: { at: number; cost: number }[] = []
        const ofRoute: { at: number; cost: number }[] = []
        const sum = (list: typeof all): number =>
          list.reduce((total, { at, cost }) => (at + WINDOW_MS > now ? total + cost : total), 0)
        for (const { pauseMs, cost, capped } of requests) {
          now += pauseMs
          const claims: Claim[] = [{ key: 'budget', limit: budget, cost }]
          if (capped) claims.push({ key: 'cap', limit: cap, cost: 1 })
          const fits = sum(all) + cost <= budget && (!capped || sum(ofRoute) + 1 <= cap)
          const { admitted, levels, waitsMs } = store.take(claims)
          assert.equal(admitted, fits)
          if (admitted) {
            all.push({ at: now, cost })
            if (capped) ofRoute.push({ at: now, cost: 1 })
          } else {
            assert.ok(Math.max(...waitsMs) > 0 && Math.max(...waitsMs) <= WINDOW_MS)
          }
          assert.equal(levels[0]?.used, sum(all), 'all or nothing')
          if (capped) assert.equal(levels[1]?.used, sum(ofRoute), 'all or nothing')
        }
        assert.ok(heaviestWindow(all, WINDOW_MS) <= budget)
        assert.ok(heaviestWindow(ofRoute, WINDOW_MS) <= cap)
      },
    ),
    { numRuns: 150 },
  )
})

test('a caller that waits for retry-after is admitted', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 100, maxLength: 400 }), (requests) => {
      let now = 0
      const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => now })
      for (const { pauseMs, cost } of requests) {
        now += pauseMs / 100
        const claims = [{ key: 'budget', limit: 60, cost }]
        const { admitted, waitsMs } = store.take(claims)
        if (admitted) continue
        // Callers get whole seconds; a sum of fractions may be a hair too small.
        now = Math.ceil(now + (waitsMs[0] ?? 0))
        assert.ok(store.take(claims).admitted)
      }
    }),
    { numRuns: 100 },
  )
})

test('a lowered limit admits no request until the window is within it', () => {
  let now = 0
  const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => now })
  const ask = (limit: number) => store.take([{ key: 'm', limit, cost: 1 }])
  for (now = 0; now < 360; now++) ask(360)
  const { admitted, waitsMs } = ask(60)
  assert.equal(admitted, false)
  now += waitsMs[0] ?? 0
  assert.ok(ask(60).admitted)
  assert.equal(ask(60).admitted, false)
})

test('callers that are gone for two windows are forgotten, and those who are not are kept', () => {
  let now = 0
  const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => now })
  for (let i = 0; i < 1000; i++) store.take([{ key: `gone ${i}`, limit: 60, cost: 1 }])
  for (now = 0; now < 5 * WINDOW_MS; now += 1000) store.take([{ key: 'here', limit: 60, cost: 1 }])
  assert.equal(store.size(), 1)
  assert.equal(store.used('here'), 59)
})

test('the number of keys is bounded where unauthenticated callers make them up', () => {
  const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => 0, maxKeys: 100 })
  for (let i = 0; i < 5000; i++) store.take([{ key: `address ${i}`, limit: 5, cost: 1 }])
  assert.ok(store.size() <= 100)
  assert.equal(store.used('address 4999'), 1)
})

test('reading takes nothing and creates no entry', () => {
  const store = createLocalStore({ windowMs: WINDOW_MS, nowMs: () => 0 })
  assert.deepEqual(store.read([{ key: 'm', limit: 60, cost: 1 }]), [{ used: 0, resetMs: 0 }])
  assert.equal(store.size(), 0)
})
