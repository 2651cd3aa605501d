import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mills } from '#kernel/money'
import { createPriceGuard, type PriceOutlier } from './price-guard.ts'

const item = (priceMills: bigint) => ({
  id: 'i-1',
  market: 'market_a' as const,
  rawListingId: '17',
  sourcingMills: mills(priceMills),
})

function guard(referenceMills: bigint | null) {
  const reported: PriceOutlier[] = []
  const check = createPriceGuard({
    referenceOf: async () =>
      referenceMills === null
        ? null
        : { referenceMills: mills(referenceMills), volume: 50, isDecorated: false },
    policy: { factor: 10, minVolume: 5 },
    onOutlier: async (outlier) => {
      reported.push(outlier)
    },
  })
  return { check, reported }
}

describe('the price guard', () => {
  it('lets a plausible price pass, and one without a reference', async () => {
    for (const referenceMills of [20_000n, null]) {
      const { check, reported } = guard(referenceMills)
      assert.equal(await check(item(25_000n)), null)
      assert.deepEqual(reported, [])
    }
  })

  it('stops a price far from its reference, and reports it with both prices', async () => {
    const { check, reported } = guard(20_000n)
    assert.match((await check(item(1000n))) ?? '', /too cheap/)
    assert.match((await check(item(300_000n))) ?? '', /too dear/)
    assert.deepEqual(
      reported.map(({ itemId, priceMills, referenceMills, verdict }) => [
        ...[itemId, priceMills, referenceMills, verdict],
      ]),
      [
        ['i-1', 1000n, 20_000n, 'too cheap'],
        ['i-1', 300_000n, 20_000n, 'too dear'],
      ],
    )
  })
})
