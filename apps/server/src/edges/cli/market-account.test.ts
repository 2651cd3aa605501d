import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type AccountKey, hashKey, keyContext } from '#buying'
import { createSecretBox } from '#infra/process/secrets'
import { isKeyTaken } from './market-account.ts'

const MAIN = { market: 'market_b', account: 'main' } as const
const SECOND = { market: 'market_b', account: 'second' } as const
const secrets = createSecretBox([Buffer.alloc(32, 7)])

const rowOf = (of: typeof MAIN | typeof SECOND, more: Partial<AccountKey> = {}): AccountKey => ({
  ...{ ...of, keyVersion: 1, pace: null, state: 'enabled', use: 'both', closedBecause: null },
  ...{ sealedKey: null, keyHashes: [], ...more },
})
const sealed = (of: typeof MAIN | typeof SECOND, key: string): string =>
  secrets.seal(key, keyContext(of))
const isTaken = (
  of: typeof MAIN | typeof SECOND,
  key: string,
  { setting, others }: { readonly setting: string; readonly others: readonly AccountKey[] },
): boolean => isKeyTaken({ mainKey: () => setting }, secrets, { ...of, key })(others)

it('main is rotated to the key that the setting names already, once the key before is known', () => {
  const started = {
    setting: 'next',
    others: [rowOf(MAIN, { keyHashes: [hashKey(MAIN, 'first')] })],
  }
  assert.equal(isTaken(MAIN, 'next', started), false)
  assert.equal(isTaken(MAIN, 'first', started), true)
  assert.equal(isTaken(SECOND, 'first', started), true, 'though the setting names another one')
})

it('before a worker has started the setting alone says which key is that of main', () => {
  const others = [rowOf(SECOND, { sealedKey: sealed(SECOND, 'of-second') })]
  const fresh = { setting: 'first', others }
  assert.equal(isTaken(MAIN, 'first', fresh), true)
  assert.equal(isTaken(SECOND, 'first', fresh), true)
  assert.equal(isTaken(MAIN, 'next', fresh), false)
  assert.equal(isTaken(MAIN, 'of-second', fresh), true)
})

it('a key that main was rotated from stays its own: it may go back to it, and no other account gets it', () => {
  const keyHashes = ['first', 'next'].map((key) => hashKey(MAIN, key))
  const rotated = {
    setting: 'next',
    others: [rowOf(MAIN, { sealedKey: sealed(MAIN, 'next'), keyHashes })],
  }
  assert.equal(isTaken(MAIN, 'first', rotated), false)
  assert.equal(isTaken(MAIN, 'next', rotated), true)
  assert.equal(isTaken(SECOND, 'first', rotated), true)
})
