import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cents, mills } from '#kernel/money'
import { doubt, isTooOld } from './believe.ts'
import { convertHalfUp, convertRoundedDown, convertRoundedUp } from './rate.ts'
import { sourcingIn } from './sourcing.ts'

const RATE = 1_157_400n
const toEur = { from: 'USD', to: 'EUR', usdPerEurMicros: RATE } as const
const toUsd = { from: 'EUR', to: 'USD', usdPerEurMicros: RATE } as const

describe('a conversion', () => {
  test('rounds in the way that its name says', () => {
    // 100.00 / 1.1574 = 86.4005..., 1.00 * 1.1574 = 1.1574
    assert.equal(convertRoundedDown(cents(10_000n), toEur), 8640n)
    assert.equal(convertRoundedUp(cents(10_000n), toEur), 8641n)
    assert.equal(convertHalfUp(cents(10_000n), toEur), 8640n)
    assert.equal(convertRoundedDown(cents(100n), toUsd), 115n)
    assert.equal(convertRoundedUp(cents(100n), toUsd), 116n)
    assert.equal(convertHalfUp(cents(100n), toUsd), 116n)
  })

  test('of what needs no rounding is the same by every name', () => {
    const even = { from: 'EUR', to: 'USD', usdPerEurMicros: 1_250_000n } as const
    for (const convert of [convertHalfUp, convertRoundedDown, convertRoundedUp]) {
      assert.equal(convert(cents(400n), even), 500n)
      assert.equal(convert(cents(0n), even), 0n)
    }
  })

  test('within a currency changes nothing', () => {
    const same = { from: 'USD', to: 'USD', usdPerEurMicros: RATE } as const
    for (const convert of [convertHalfUp, convertRoundedDown, convertRoundedUp]) {
      assert.equal(convert(cents(333n), same), 333n)
    }
  })

  test('of a cent can be nothing, rounded down', () => {
    assert.equal(convertRoundedDown(cents(1n), toEur), 0n)
    assert.equal(convertRoundedUp(cents(1n), toEur), 1n)
  })

  test('there and back, against the customer each time, never makes money', () => {
    const amount = fc.bigInt(0n, 10n ** 13n)
    const rate = fc.bigInt(500_000n, 2_000_000n)
    fc.assert(
      fc.property(amount, rate, (value, usdPerEurMicros) => {
        const there = convertRoundedDown(cents(value), { ...toEur, usdPerEurMicros })
        assert.ok(convertRoundedDown(there, { ...toUsd, usdPerEurMicros }) <= value)
        const up = convertRoundedUp(cents(value), { ...toEur, usdPerEurMicros })
        assert.ok(up - there <= 1n && up >= there)
      }),
    )
  })
})

describe('a supplier’s price', () => {
  test('is rounded up to a cent, once', () => {
    assert.equal(sourcingIn('USD', mills(1230n), null), 123n)
    assert.equal(sourcingIn('USD', mills(1231n), null), 124n)
    // 10.001 / 1.1574 = 8.6409...; by way of 10.01 it would be 8.6487
    assert.equal(sourcingIn('EUR', mills(10_001n), RATE), 865n)
    assert.equal(sourcingIn('EUR', mills(1n), RATE), 1n)
  })

  test('is never below cost', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 10n), fc.bigInt(500_000n, 2_000_000n), (price, rate) => {
        const sourcing = sourcingIn('EUR', mills(price), rate)
        // Both sides in millionths of a mill.
        assert.ok(sourcing * 10n * rate >= price * 1_000_000n)
        assert.ok((sourcing - 1n) * 10n * rate < price * 1_000_000n)
      }),
    )
  })

  test('in euros without a rate is a mistake of ours', () => {
    assert.throws(() => sourcingIn('EUR', mills(1000n), null), RangeError)
  })
})

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
