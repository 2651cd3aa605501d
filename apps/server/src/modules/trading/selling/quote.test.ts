import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cents, mills } from '#kernel/money'
import { decodeAsset, encodeAsset } from './item.ts'
import { type Policy, quoteOf } from './quote.ts'

const POLICY: Policy = {
  version: 1n,
  buying: true,
  leastQuote: cents(10n),
  mostQuote: cents(100_000n),
  ...{ offerSharePercent: 50, waitingLimit: 100 },
  bands: [
    { leastVolume: 50, discountBps: 2000 },
    { leastVolume: 5, discountBps: 3333 },
  ],
  items: new Map(),
}
const item = (volume: number, reference: bigint | null = 10_000n) => ({
  id: 'aa',
  quotable: true,
  volume,
  referenceMills: reference === null ? null : mills(reference),
})
const withItem = (own: { accepted?: boolean; discountBps?: number; quote?: bigint }): Policy => ({
  ...POLICY,
  items: new Map([
    [
      'aa',
      {
        accepted: own.accepted ?? true,
        discountBps: own.discountBps ?? null,
        quote: own.quote === undefined ? null : cents(own.quote),
      },
    ],
  ]),
})

describe('a quote', () => {
  it('is the reference price less the discount of the best band that the item reaches', () => {
    assert.equal(quoteOf(item(50), POLICY), 800n)
    assert.equal(quoteOf(item(49), POLICY), 666n, 'rounded down')
    assert.equal(quoteOf(item(4), POLICY), null, 'below all bands nothing is bought')
  })

  it('needs a reference price, and is within the bounds', () => {
    assert.equal(quoteOf(item(50, null), POLICY), null)
    assert.equal(quoteOf(item(50, 0n), POLICY), null)
    assert.equal(quoteOf(item(50, 124n), POLICY), null, '9 cents')
    assert.equal(quoteOf(item(50, 125n), POLICY), 10n)
    assert.equal(quoteOf(item(50, 1_250_000n), POLICY), 100_000n)
    assert.equal(quoteOf(item(50, 1_250_013n), POLICY), null)
  })

  it('is none where a single market stands for the reference, unless the operator names it', () => {
    const single = { ...item(50), quotable: false }
    assert.equal(quoteOf(single, POLICY), null)
    assert.equal(quoteOf(single, withItem({ discountBps: 1000 })), null)
    assert.equal(quoteOf(single, withItem({ quote: 333n })), 333n)
  })

  it('follows what was said of this item before what holds for its band', () => {
    assert.equal(quoteOf(item(50), withItem({ accepted: false })), null)
    assert.equal(quoteOf(item(0), withItem({ discountBps: 1000 })), 900n)
    assert.equal(quoteOf(item(0, null), withItem({ quote: 333n })), 333n)
    assert.equal(quoteOf(item(50), withItem({ quote: 9n })), null, 'the bounds hold all the same')
  })

  it('is none while nothing is bought', () => {
    assert.equal(quoteOf(item(50), { ...POLICY, buying: false }), null)
  })
})

describe('an encoded asset', () => {
  it('says which asset was seen, and of what kind', () => {
    const asset = { contextId: '2', assetId: '4700012345', classId: '310776560' } as const
    assert.deepEqual(decodeAsset(encodeAsset(asset)), asset)
  })

  it('of another spelling is none of ours', () => {
    const id = encodeAsset({ contextId: '2', assetId: '1', classId: '3' })
    const others = [
      `${id}=`,
      `${id} `,
      '',
      'MjoxOjM',
      '2:1:3',
      'Mjox',
      Buffer.from('3:1:3').toString('base64url'),
    ]
    for (const other of others.filter((text) => text !== id)) assert.equal(decodeAsset(other), null)
  })
})
