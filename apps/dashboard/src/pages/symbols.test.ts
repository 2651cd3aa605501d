import assert from 'node:assert/strict'
import { it } from 'node:test'
import { symbolOf, withSymbols } from './symbols.ts'

it("a chain's own coin has its symbol, and every other token is named as it is", () => {
  assert.equal(symbolOf({ chain: 'bsc', token: 'NATIVE' }), 'BNB')
  assert.equal(symbolOf({ chain: 'base', token: 'NATIVE' }), 'ETH')
  assert.equal(symbolOf({ chain: 'bsc', token: 'USDT' }), 'USDT')
  assert.equal(symbolOf({ token: null }), '')
})

it("details of a record name a chain's own coin by its symbol, where the chain is known", () => {
  const details = { chain: 'bsc', token: 'NATIVE', units: '5' }
  assert.deepEqual(withSymbols(details), { chain: 'bsc', token: 'BNB', units: '5' })
  assert.deepEqual(withSymbols({ asset: 'NATIVE' }), { asset: 'NATIVE' })
})
