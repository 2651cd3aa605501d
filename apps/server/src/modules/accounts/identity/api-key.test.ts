import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { looksLikeKey, makeKey } from './api-key.ts'

describe('a key', () => {
  test('is prefix, 43 random digits and 6 of checksum, and is known by its hash', () => {
    const key = makeKey('live', () => Buffer.alloc(32, 7))
    assert.match(key.secret, /^tp_live_[0-9A-Za-z]{49}$/)
    assert.equal(key.prefix, 'tp_live_')
    assert.equal(key.last4, key.secret.slice(-4))
    assert.deepEqual(key.hash, createHash('sha256').update(key.secret).digest())
    assert.ok(looksLikeKey(key.secret))
  })

  test('has the same length whatever chance brings', () => {
    for (const byte of [0, 255]) {
      const { secret } = makeKey('test', () => Buffer.alloc(32, byte))
      assert.equal(secret.length, 57)
      assert.ok(looksLikeKey(secret))
    }
  })

  test('two keys differ', () => {
    assert.notEqual(makeKey('test').secret, makeKey('test').secret)
  })

  test('with any one character changed is no key any more', () => {
    const { secret } = makeKey('test', () => Buffer.alloc(32, 7))
    for (let i = 0; i < secret.length; i++) {
      const changed = secret.slice(0, i) + (secret[i] === 'a' ? 'b' : 'a') + secret.slice(i + 1)
      assert.equal(looksLikeKey(changed), false, changed)
    }
  })

  test('of another form is no key', () => {
    const { secret } = makeKey('test')
    for (const text of [
      '',
      'tp_test_',
      `${secret}x`,
      secret.slice(1),
      ` ${secret}`,
      secret.replace('tp_test_', 'tp_prod_'),
      'x'.repeat(100_000),
    ]) {
      assert.equal(looksLikeKey(text), false)
    }
  })
})
