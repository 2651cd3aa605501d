import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, quantilesOf } from './histogram.ts'

const histogramOf = (times: readonly number[]): ReadonlyMap<number, number> => {
  const buckets = new Map<number, number>()
  for (const ms of times) buckets.set(bucketOf(ms), (buckets.get(bucketOf(ms)) ?? 0) + 1)
  return buckets
}

test('a quantile of a histogram is at most an eighth off the exact one, and half a second', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 30 * 86_400_000 }), { minLength: 1, maxLength: 200 }),
      (times) => {
        const sorted = times.toSorted((a, b) => a - b)
        const exact = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / 1000
        const { count, p50, p95 } = quantilesOf(histogramOf(times))
        assert.equal(count, times.length)
        for (const [found, wanted] of [
          [p50, exact(0.5)],
          [p95, exact(0.95)],
        ] as const) {
          assert.ok(found !== null)
          assert.ok(Math.abs(found - Math.max(1, wanted)) <= wanted / 8 + 0.5, `${found} ${wanted}`)
        }
      },
    ),
  )
})

test('without a time there is no quantile', () => {
  assert.deepEqual(quantilesOf(new Map()), { count: 0, p50: null, p95: null })
})
