import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mills } from '#kernel/money'
import { judgePrice, type PriceDetails } from './judge-price.ts'

const POLICY = { factor: 10, minVolume: 5 }
const judge = (priceMills: bigint, overrides: Partial<PriceDetails> = {}, policy = POLICY) =>
  judgePrice(
    {
      priceMills: mills(priceMills),
      referenceMills: mills(10_000n),
      volume: 5,
      isDecorated: false,
      ...overrides,
    },
    policy,
  )

test('up to the factor a price is plausible, beyond it is not, to the mill', () => {
  assert.equal(judge(1000n), 'plausible')
  assert.equal(judge(999n), 'too cheap')
  assert.equal(judge(100_000n), 'plausible')
  assert.equal(judge(100_001n), 'too dear')
})

test('an item that hardly sells, or costs less than a dollar, has no price to compare with', () => {
  assert.equal(judge(1n, { volume: 4 }), 'plausible')
  assert.equal(judge(1n, { referenceMills: mills(999n) }), 'plausible')
  assert.equal(judge(1n, { referenceMills: mills(1000n) }), 'too cheap')
  assert.equal(judge(1n, { referenceMills: mills(0n) }), 'plausible')
})

test('what hangs on an item may make it dear, and never cheap', () => {
  assert.equal(judge(1_000_000n, { isDecorated: true }), 'plausible')
  assert.equal(judge(999n, { isDecorated: true }), 'too cheap')
})

test('a factor of 0 believes everything', () => {
  assert.equal(judge(1n, {}, { factor: 0, minVolume: 0 }), 'plausible')
})
