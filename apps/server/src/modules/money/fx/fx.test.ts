import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isTooOld, rejectReason } from './check-rate.ts'

const RATE = 1_157_400n

describe('a rate is', () => {
  const now = new Date('2026-11-20T15:00:00Z')
  const known = { usdPerEurMicros: RATE, asOf: '2026-11-19' }
  const fetched = (usdPerEurMicros: bigint, asOf: string) => ({ usdPerEurMicros, asOf })

  test('good for seven days after its own', () => {
    assert.equal(isTooOld(fetched(RATE, '2026-11-13'), now), false)
    assert.equal(isTooOld(fetched(RATE, '2026-11-12'), now), true)
  })

  const ACCEPTED = [
    ['of today', fetched(1_160_000n, '2026-11-20')],
    ['of the same day as the one known', fetched(1_160_000n, '2026-11-19')],
    ['of a source that is a time zone ahead', fetched(1_160_000n, '2026-11-21')],
    ['10% away', fetched(1_273_140n, '2026-11-20')],
  ] as const
  for (const [name, rate] of ACCEPTED) {
    test(`accepted: ${name}`, () => assert.equal(rejectReason(rate, known, now), null))
  }

  const REJECTED = [
    ['of a day to come', fetched(1_160_000n, '2026-11-22')],
    ['older than the one known', fetched(1_160_000n, '2026-11-18')],
    ['more than 10% away', fetched(1_273_141n, '2026-11-20')],
    ['zero', fetched(0n, '2026-11-20')],
    ['negative', fetched(-RATE, '2026-11-20')],
    ['in cents instead of millionths', fetched(116n, '2026-11-20')],
    ['of no day', fetched(1_160_000n, 'yesterday')],
    ['of a day that does not exist', fetched(1_160_000n, '2026-13-45')],
  ] as const
  for (const [name, rate] of REJECTED) {
    test(`rejected: ${name}`, () => assert.notEqual(rejectReason(rate, known, now), null))
  }

  test('accepted without comparison when none is known, or none that still holds', () => {
    const first = fetched(1_900_000n, '2026-11-20')
    assert.equal(rejectReason(first, null, now), null)
    assert.equal(rejectReason(first, fetched(RATE, '2026-11-01'), now), null)
  })
})
