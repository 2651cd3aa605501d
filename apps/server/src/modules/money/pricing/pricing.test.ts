import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Currency, cents, mills } from '#kernel/money'
import { ceilingOf } from './ceiling.ts'
import { convertHalfUp, convertRoundedDown, convertRoundedUp, convertTransfer } from './convert.ts'
import { effectiveChildFeeBps, effectiveFees } from './effective-fees.ts'
import { priceOf } from './price.ts'
import { sourcingIn } from './sourcing.ts'
import { boundsInMills, createPriceTag } from './tag.ts'

describe('the price', () => {
  const TABLE = [
    // sourcing, house, merchant: service fee, merchant fee, price
    [10_000n, 300, 0, 300n, 0n, 10_300n],
    [10_000n, 500, 200, 500n, 200n, 10_700n],
    [1n, 500, 200, 0n, 0n, 1n],
    [10n, 500, 500, 1n, 1n, 12n],
    [9n, 500, 500, 0n, 0n, 9n],
    [50n, 100, 99, 1n, 0n, 51n],
    [100_000_000_000n, 10_000, 10_000, 100_000_000_000n, 100_000_000_000n, 300_000_000_000n],
  ] as const
  for (const [sourcing, houseFeeBps, merchantFeeBps, houseFee, merchantFee, price] of TABLE) {
    test(`of ${sourcing} with ${houseFeeBps} and ${merchantFeeBps} bps is ${price}`, () => {
      assert.deepEqual(priceOf({ sourcing: cents(sourcing), houseFeeBps, merchantFeeBps }), {
        houseFee,
        merchantFee,
        price,
      })
    })
  }

  test('is the sum of its parts, and no fee is off by more than half a cent', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 12n),
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        (sourcing, houseFeeBps, merchantFeeBps) => {
          const price = priceOf({ sourcing: cents(sourcing), houseFeeBps, merchantFeeBps })
          assert.equal(price.price, sourcing + price.houseFee + price.merchantFee)
          const error = price.houseFee * 10_000n - sourcing * BigInt(houseFeeBps)
          assert.ok(error <= 5000n && error > -5000n)
        },
      ),
    )
  })
})

describe('a bound of what a buyer pays', () => {
  const terms = fc.record({
    currency: fc.constantFrom<Currency>('USD', 'EUR'),
    houseFeeBps: fc.integer({ min: 0, max: 10_000 }),
    merchantFeeBps: fc.integer({ min: 0, max: 10_000 }),
  })
  const rate = fc.bigInt(500_000n, 2_000_000n)
  const bound = fc.bigInt(1n, 10_000_000n)

  test('from above is the most that a market may ask', () => {
    fc.assert(
      fc.property(terms, rate, bound, (buyer, usdPerEurMicros, maxPrice) => {
        const { price } = createPriceTag(buyer, usdPerEurMicros)
        const ceiling = ceilingOf(cents(maxPrice), price)
        assert.ok(price(ceiling) <= maxPrice)
        assert.ok(price(mills(ceiling + 1n)) > maxPrice)
      }),
    )
  })

  test('from below is the least that a market asks', () => {
    fc.assert(
      fc.property(terms, rate, bound, (buyer, usdPerEurMicros, minPrice) => {
        const tag = createPriceTag(buyer, usdPerEurMicros)
        const { minMills } = boundsInMills(tag, { minPrice: cents(minPrice), maxPrice: null })
        assert.ok(minMills !== null && tag.price(minMills) >= minPrice)
        assert.ok(tag.price(mills(minMills - 1n)) < minPrice)
      }),
    )
  })

  test('that nothing reaches is above every listing, and none is none', () => {
    const tag = createPriceTag({ currency: 'USD', houseFeeBps: 0, merchantFeeBps: 0 }, null)
    const unreachable = boundsInMills(tag, { minPrice: cents(10n ** 12n), maxPrice: null })
    assert.ok(unreachable.minMills !== null && unreachable.minMills > 1_000_000_000n)
    assert.deepEqual(boundsInMills(tag, { minPrice: null, maxPrice: null }), {
      minMills: null,
      maxMills: null,
    })
  })
})

describe('the fees that hold', () => {
  const merchant = { buyFeeBps: 200, sellFeeBps: 150, childDefaultFeeBps: 400 }

  test('for a merchant are its own service fee and none to itself', () => {
    assert.deepEqual(effectiveFees({ role: 'merchant', feeBps: 300, merchant }, 500), {
      houseFeeBps: 300,
      merchantBuyFeeBps: 0,
      merchantSellFeeBps: 0,
    })
  })

  const fees = (feeBps: number | null, childDefaultFeeBps: number | null) =>
    effectiveFees({ role: 'sub_user', feeBps, merchant: { ...merchant, childDefaultFeeBps } }, 500)

  test('for a sub-user are its own service fee and the merchant’s cuts', () => {
    assert.deepEqual(fees(100, 400), {
      houseFeeBps: 100,
      merchantBuyFeeBps: 200,
      merchantSellFeeBps: 150,
    })
  })
  test('a sub-user without a fee pays the merchant’s default for children', () => {
    assert.equal(fees(null, 400).houseFeeBps, 400)
  })
  test('without either the global default holds', () => {
    assert.equal(fees(null, null).houseFeeBps, 500)
  })
  test('a fee of zero is a fee, not the lack of one', () => {
    assert.equal(fees(0, 400).houseFeeBps, 0)
    assert.equal(fees(null, 0).houseFeeBps, 0)
    assert.equal(effectiveChildFeeBps({ childDefaultFeeBps: 0 }, 500), 0)
  })
})

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

describe('what is moved between wallets of two currencies', () => {
  const terms = { merchant: 'USD', subUser: 'EUR', usdPerEurMicros: RATE, spreadBps: 50 } as const

  test('bears the spread, and rounding is against the customer', () => {
    // 100.00 / 1.1574 = 86.4005; half a percent of it is 0.4320
    assert.equal(convertTransfer(cents(10_000n), { ...terms, direction: 'fund' }), 8596n)
    assert.equal(convertTransfer(cents(10_000n), { ...terms, direction: 'defund' }), 8684n)
  })

  test('within a currency bears none', () => {
    for (const direction of ['fund', 'defund'] as const) {
      const same = { ...terms, subUser: 'USD', direction } as const
      assert.equal(convertTransfer(cents(333n), same), 333n)
    }
  })

  test('gains at most the move of the rate less twice the spread, there and back', () => {
    const rate = fc.bigInt(500_000n, 2_000_000n)
    const spread = fc.integer({ min: 0, max: 1000 })
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 9n), rate, rate, spread, (amount, one, two, spreadBps) => {
        const fund = { ...terms, spreadBps, direction: 'fund', usdPerEurMicros: one } as const
        const defund = { ...terms, spreadBps, direction: 'defund', usdPerEurMicros: two } as const
        const euros = convertTransfer(cents(amount), fund)
        // A cent more than the moved amount less twice the spread costs more euros than there are.
        const most =
          (amount * two * BigInt(10_000 - spreadBps)) / (one * BigInt(10_000 + spreadBps))
        assert.ok(convertTransfer(cents(most + 1n), defund) > euros)
      }),
    )
  })
})

describe('a supplier’s price', () => {
  test('is rounded up to a cent, once', () => {
    assert.deepEqual(
      [1n, 9n, 10n, 11n].map((asked) => sourcingIn('USD', mills(asked), null)),
      [1n, 1n, 1n, 2n],
    )
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
