import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explorerUrl } from './explorer-url.ts'

const explorers = { base: 'https://explorer.example' }
const hash = `0x${'5c'.repeat(32)}`
const address = `0x${'aB'.repeat(20)}`

test('a hash and an address lead to the explorer of their chain', () => {
  assert.equal(
    explorerUrl(explorers, { chain: 'base', kind: 'tx', value: hash }),
    `https://explorer.example/tx/${hash}`,
  )
  assert.equal(
    explorerUrl(explorers, { chain: 'base', kind: 'address', value: address }),
    `https://explorer.example/address/${address}`,
  )
})

test('nothing leads anywhere without an explorer, or that is no hash or address', () => {
  for (const chain of [null, 'ethereum', 'TRX', 'constructor']) {
    assert.equal(explorerUrl(explorers, { chain, kind: 'tx', value: hash }), null, `${chain}`)
  }
  for (const value of [
    '',
    address,
    `${hash}/../..`,
    `${hash}?x`,
    'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
  ]) {
    assert.equal(explorerUrl(explorers, { chain: 'base', kind: 'tx', value }), null, value)
  }
})
