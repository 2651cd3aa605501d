import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalToMills, millsToDecimal, shareOf } from '../kernel/mills.ts'
import { keptOnReversal } from './order.ts'

test('a reversal costs the account what the parts of its statement add up to, at every price', () => {
  const percents = [20, 10]
  for (let paidMills = 1; paidMills <= 5000; paidMills++) {
    const stated = percents
      .map((percent) => decimalToMills(millsToDecimal(shareOf(paidMills, percent))) ?? Number.NaN)
      .reduce((sum, part) => sum + part, 0)
    const kept = keptOnReversal(paidMills, { keptOnBuyerReversalPercents: percents })
    assert.equal(kept, stated, `of ${paidMills}`)
  }
})
