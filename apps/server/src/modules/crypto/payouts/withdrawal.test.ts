import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cents } from '#kernel/money'
import { AMOUNT_BOUNDS, leastAfterFees, siteFeeOf } from './withdrawal.ts'

const leaves = (amount: bigint, fee: bigint, bps: number): bigint =>
  amount - fee - siteFeeOf(cents(amount), bps)

it('the least amount after fees leaves a cent, and a cent less leaves none, at any fees', () => {
  const shares = [0, 1, 49, 50, 51, 333, 1000, 2500, 4999, 5000, 5001, 6667, 9000, 9900, 9999]
  const fees = [0n, 1n, 2n, 49n, 50n, 98n, 99n, 100n, 101n, 333n, 499n, 500n, 999n, 12_345n]
  for (const siteFeeBps of shares) {
    for (const fee of fees) {
      const named = `${fee} cents and ${siteFeeBps} of 10,000`
      const least = leastAfterFees({ feeCents: cents(fee), siteFeeBps })
      if (least === null) {
        assert.ok(leaves(AMOUNT_BOUNDS.most, fee, siteFeeBps) <= 0n, named)
        continue
      }
      assert.ok(least >= AMOUNT_BOUNDS.least && least <= AMOUNT_BOUNDS.most, named)
      assert.ok(leaves(least, fee, siteFeeBps) > 0n, named)
      if (least > AMOUNT_BOUNDS.least) {
        assert.equal(leaves(least - 1n, fee, siteFeeBps), 0n, named)
      }
    }
  }
})

it('no amount is least where the site takes all, or the fees more than the largest amount', () => {
  assert.equal(leastAfterFees({ feeCents: cents(0n), siteFeeBps: 10_000 }), null)
  const { most } = AMOUNT_BOUNDS
  assert.equal(leastAfterFees({ feeCents: cents(most - 1n), siteFeeBps: 0 }), most)
  assert.equal(leastAfterFees({ feeCents: most, siteFeeBps: 0 }), null)
})
