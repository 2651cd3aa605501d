import assert from 'node:assert/strict'
import { ECDH } from 'node:crypto'
import { test } from 'node:test'
import { HDKey } from '@scure/bip32'
import { mnemonicToAccount, publicKeyToAddress } from 'viem/accounts'
import { isMnemonic, newMnemonic, openKeyRing, parseKeyRef } from './keys.ts'
import { KEYS, MNEMONIC } from './testing/fixtures.ts'

test('keys stand at the paths that the documentation names', () => {
  for (const [ref, accountIndex, addressIndex] of [
    ['deposit/0', 0, 0],
    ['deposit/7', 0, 7],
    ['hot', 1, 0],
    ['gas', 2, 0],
  ] as const) {
    const expected = mnemonicToAccount(MNEMONIC, { accountIndex, addressIndex }).address
    assert.equal(KEYS.address(ref), expected, ref)
  }
})

test('the xpub alone gives the same deposit addresses', () => {
  const account = HDKey.fromExtendedKey(KEYS.depositXpub)
  assert.equal(account.privateKey, null)
  for (const index of [0, 5, 100_000]) {
    const { publicKey } = account.deriveChild(0).deriveChild(index)
    assert.ok(publicKey)
    const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, 'hex', 'uncompressed')
    assert.equal(publicKeyToAddress(`0x${point}`), KEYS.address(`deposit/${index}`))
  }
})

test('only names of keys are references', () => {
  for (const text of ['hot', 'gas', 'deposit/0', 'deposit/2147483647']) {
    assert.equal(parseKeyRef(text), text)
  }
  for (const text of [
    '',
    'Hot',
    'deposit',
    'deposit/',
    'deposit/-1',
    'deposit/01',
    'deposit/1e3',
  ]) {
    assert.equal(parseKeyRef(text), null)
  }
  assert.equal(parseKeyRef('deposit/2147483648'), null)
})

test('a new mnemonic has 24 valid words and differs from the one before', () => {
  const words = newMnemonic()
  assert.equal(words.split(' ').length, 24)
  assert.ok(isMnemonic(words))
  assert.notEqual(newMnemonic(), words)
  assert.notEqual(openKeyRing(words).address('hot'), KEYS.address('hot'))
})
