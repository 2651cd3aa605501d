import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { doubt, isTooOld } from './believe.ts'

const RATE = 1_157_400n

describe('a rate is', () => {
  const now = new Date('2026-11-20T15:00:00Z')
  const known = { usdPerEurMicros: RATE, asOf: '2026-11-19' }
  const news = (usdPerEurMicros: bigint, asOf: string) => ({ usdPerEurMicros, asOf })

  test('good for seven days after its own', () => {
    assert.equal(isTooOld(news(RATE, '2026-11-13'), now), false)
    assert.equal(isTooOld(news(RATE, '2026-11-12'), now), true)
  })

  const BELIEVED = [
    ['of today', news(1_160_000n, '2026-11-20')],
    ['of the same day as the one known', news(1_160_000n, '2026-11-19')],
    ['of a source that is a time zone ahead', news(1_160_000n, '2026-11-21')],
    ['10% away', news(1_273_140n, '2026-11-20')],
  ] as const
  for (const [name, rate] of BELIEVED) {
    test(`believed: ${name}`, () => assert.equal(doubt(rate, known, now), null))
  }

  const DOUBTED = [
    ['of a day to come', news(1_160_000n, '2026-11-22')],
    ['older than the one known', news(1_160_000n, '2026-11-18')],
    ['more than 10% away', news(1_273_141n, '2026-11-20')],
    ['zero', news(0n, '2026-11-20')],
    ['negative', news(-RATE, '2026-11-20')],
    ['in cents instead of millionths', news(116n, '2026-11-20')],
    ['of no day', news(1_160_000n, 'yesterday')],
    ['of a day that does not exist', news(1_160_000n, '2026-13-45')],
  ] as const
  for (const [name, rate] of DOUBTED) {
    test(`doubted: ${name}`, () => assert.notEqual(doubt(rate, known, now), null))
  }

  test('believed without comparison when none is known, or none that still holds', () => {
    const first = news(1_900_000n, '2026-11-20')
    assert.equal(doubt(first, null, now), null)
    assert.equal(doubt(first, news(RATE, '2026-11-01'), now), null)
  })
})
