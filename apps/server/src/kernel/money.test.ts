import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cents, divideHalfUp, formatCents, parseAmount, shareHalfUp } from './money.ts'

describe('an amount', () => {
  it('is read as it is written', () => {
    const written = [0n, 1n, -5n, 1230n, -100_001n].map((value) => formatCents(cents(value)))
    assert.deepEqual(written, ['0.00', '0.01', '-0.05', '12.30', '-1000.01'])
  })
  for (const [text, value] of [
    ['0', 0n],
    ['0.01', 1n],
    ['5', 500n],
    ['5.5', 550n],
    ['5.50', 550n],
    ['999999999.99', 99_999_999_999n],
  ] as const) {
    it(`${text} is ${value} cents`, () => assert.equal(parseAmount(text), value))
  }
  for (const text of [
    '',
    '-1',
    '+1',
    '01',
    '1.',
    '.5',
    '1.234',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '１',
    'NaN',
    '1000000000',
  ]) {
    it(`“${text}” is none`, () => assert.equal(parseAmount(text), null))
  }
})

describe('rounding', () => {
  it('is half up', () => {
    assert.deepEqual(
      [49n, 50n, 51n, 149n, 150n].map((n) => divideHalfUp(n, 100n)),
      [0n, 1n, 1n, 1n, 2n],
    )
    assert.equal(shareHalfUp(cents(25n), 200), 1n)
    assert.equal(shareHalfUp(cents(24n), 200), 0n)
  })

  it('of a share never strays by more than half a cent', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        fc.integer({ min: 0, max: 10_000 }),
        (n, bps) => {
          const twiceExact = 2n * n * BigInt(bps)
          const error = 20_000n * shareHalfUp(cents(n), bps) - twiceExact
          assert.ok(error <= 10_000n && error > -10_000n)
        },
      ),
    )
  })
})
