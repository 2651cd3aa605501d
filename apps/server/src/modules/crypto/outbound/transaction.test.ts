// The fees of replacements.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { firstFees, MOST_ATTEMPTS, replacementFees } from './transaction.ts'

const GWEI = 1_000_000_000n
const estimate = {
  ...{ baseFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI },
  ...{ dataFee: 0n, dataGas: 0n },
}
const market = { estimate, mostFeePerGas: 500n * GWEI }

describe('the fees of a replacement', () => {
  test('are both higher by an eighth at least, which every node takes', () => {
    for (const wei of [0n, 1n, 7n, 8n, 9n, 1_000n, 123_456_789n]) {
      const last = { maxFeePerGas: 30n * GWEI + wei, maxPriorityFeePerGas: wei }
      const low = { ...estimate, maxPriorityFeePerGas: 0n }
      const fees = replacementFees('payment', last, { ...market, estimate: low })
      assert.ok(fees !== null)
      assert.ok(fees.maxFeePerGas * 8n >= last.maxFeePerGas * 9n)
      assert.ok(fees.maxPriorityFeePerGas * 8n >= wei * 9n)
      assert.ok(fees.maxPriorityFeePerGas > wei && fees.maxPriorityFeePerGas < wei * 2n + 3n)
      assert.ok(fees.maxPriorityFeePerGas <= fees.maxFeePerGas)
    }
  })

  test('follow the market where it has risen more', () => {
    const risen = { ...estimate, baseFeePerGas: 100n * GWEI }
    const fees = replacementFees('payment', firstFees(estimate), { ...market, estimate: risen })
    assert.equal(fees?.maxFeePerGas, firstFees(risen).maxFeePerGas)
  })

  test('of a payment end at four times the market, before its attempts do', () => {
    let last = firstFees(estimate)
    let attempts = 1
    for (;;) {
      const fees = replacementFees('payment', last, market)
      if (fees === null) break
      attempts += 1
      last = fees
    }
    assert.ok(attempts > 5 && attempts < MOST_ATTEMPTS)
    assert.ok(last.maxFeePerGas <= 4n * firstFees(estimate).maxFeePerGas)
    assert.notEqual(replacementFees('filler', last, market), null)
  })

  test('are never above the cap, of a cancel transaction neither', () => {
    const last = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
    const mostFeePerGas = 112n * GWEI
    assert.equal(replacementFees('filler', last, { estimate, mostFeePerGas }), null)
    const enough = { estimate, mostFeePerGas: 113n * GWEI }
    assert.equal(replacementFees('filler', last, enough)?.maxFeePerGas, (225n * GWEI) / 2n + 1n)
  })
})
