import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mnemonicToAccount } from 'viem/accounts'
import { createAddressDeriver, isAccountXpub } from './index.ts'

// The phrase of every local test node; it protects nothing.
const WORDS = 'test test test test test test test test test test test junk'
const keyAt = (path: `m/44'/60'/${string}`) => mnemonicToAccount(WORDS, { path }).getHdKey()
const account = keyAt("m/44'/60'/0'")

test('addresses from the public key are those of the private keys, checksum included', () => {
  const { address } = createAddressDeriver(account.publicExtendedKey)
  for (const index of [0, 1, 5, 99_999, 2 ** 31 - 1]) {
    assert.equal(address(index), mnemonicToAccount(WORDS, { addressIndex: index }).address)
  }
})

test('only the extended public key of an account is taken', () => {
  assert.equal(isAccountXpub(account.publicExtendedKey), true)
  assert.equal(isAccountXpub(account.privateExtendedKey), false)
  assert.equal(isAccountXpub(keyAt("m/44'/60'/0'/0").publicExtendedKey), false)
  assert.equal(isAccountXpub('xpub'), false)
})
