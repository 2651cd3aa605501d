import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cents } from '#kernel/money'
import { effectiveChildFeeBps, effectiveFees } from './effective-fees.ts'
import { priceOf } from './price.ts'

describe('the price', () => {
  const TABLE = [
    // sourcing, house, merchant: house fee, merchant fee, price
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

describe('the fees that hold', () => {
  const merchant = { buyFeeBps: 200, sellFeeBps: 150, childDefaultFeeBps: 400 }

  test('for a merchant are its own house fee and none to itself', () => {
    assert.deepEqual(effectiveFees({ role: 'merchant', feeBps: 300, merchant }, 500), {
      houseFeeBps: 300,
      merchantBuyFeeBps: 0,
      merchantSellFeeBps: 0,
    })
  })

  const fees = (feeBps: number | null, childDefaultFeeBps: number | null) =>
    effectiveFees({ role: 'sub_user', feeBps, merchant: { ...merchant, childDefaultFeeBps } }, 500)

  test('for a sub-user are its own house fee and the merchant’s cuts', () => {
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
