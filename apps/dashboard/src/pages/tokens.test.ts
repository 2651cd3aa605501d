import assert from 'node:assert/strict'
import { it } from 'node:test'
import { symbolOf } from './tokens.ts'

it("a chain's own coin has its symbol, and every other token is named as it is", () => {
  assert.equal(symbolOf({ chain: 'bsc', token: 'NATIVE' }), 'BNB')
  assert.equal(symbolOf({ chain: 'base', token: 'NATIVE' }), 'ETH')
  assert.equal(symbolOf({ chain: 'bsc', token: 'USDT' }), 'USDT')
  assert.equal(symbolOf({ token: null }), '')
})
