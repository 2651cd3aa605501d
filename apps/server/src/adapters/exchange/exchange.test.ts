import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTicker } from './index.ts'

const ticker = (bid: unknown, ask: unknown, more: object = {}): string =>
  JSON.stringify({
    error: [],
    result: { XETHZUSD: { a: [ask, '1', '1.000'], b: [bid, '2', '2.000'], c: ['3', '1'] } },
    ...more,
  })

test('the price is the middle of the best bid and the best ask', () => {
  assert.equal(readTicker(ticker('3399.50', '3400.50')), 340_000_000_000n)
  assert.equal(readTicker(ticker('0.99995000', '1.00005000')), 100_000_000n)
  assert.equal(readTicker(ticker('1', '1')), 100_000_000n)
})

test('a market without a narrow spread has no price', () => {
  assert.throws(() => readTicker(ticker('3000', '3031')), /too far apart/)
  assert.equal(readTicker(ticker('3000', '3030')), 301_500_000_000n)
})

test('an answer that cannot be a ticker is refused', () => {
  for (const [bid, ask] of [
    ['0', '0'],
    ['2', '1'],
    ['-1', '1'],
    ['1e3', '1e3'],
    [1000, 1000],
    [null, '1'],
  ]) {
    assert.throws(() => readTicker(ticker(bid, ask)), /cannot be read/, `${bid} ${ask}`)
  }
  assert.throws(() => readTicker(''), /refuses/)
  assert.throws(() => readTicker('<html>'), /refuses/)
  assert.throws(() => readTicker('{"error":["EService:Unavailable"]}'), /EService:Unavailable/)
  assert.throws(() => readTicker('{"error":[],"result":{}}'), /cannot be read/)
  const two = { result: { A: { a: ['1'], b: ['1'] }, B: { a: ['2'], b: ['2'] } } }
  assert.throws(() => readTicker(ticker('1', '1', two)), /cannot be read/)
})
