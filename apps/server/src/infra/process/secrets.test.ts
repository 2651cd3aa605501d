import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSecretBox } from './secrets.ts'

const key = randomBytes(32)

test('a sealed secret opens under its key and context, and never looks the same twice', () => {
  const box = createSecretBox([key])
  const sealed = box.seal('whsec_ä', 'endpoint 1')
  assert.equal(box.open(sealed, 'endpoint 1'), 'whsec_ä')
  assert.notEqual(box.seal('whsec_ä', 'endpoint 1'), sealed)
})

test('a sealed secret that was moved, changed or cut does not open', () => {
  const box = createSecretBox([key])
  const sealed = box.seal('secret', 'endpoint 1')
  assert.throws(() => box.open(sealed, 'endpoint 2'))
  assert.throws(() => box.open(`${sealed.slice(0, -2)}AA`, 'endpoint 1'))
  assert.throws(() => box.open(sealed.slice(0, 20), 'endpoint 1'))
  assert.throws(() => box.open('', 'endpoint 1'))
})

test('no other spelling of a sealed secret opens', () => {
  const box = createSecretBox([key])
  // 28 bytes around it: the last character of base64url has bits to spare for these lengths.
  for (const secret of ['quote', 'a quote', 'quotes']) {
    const sealed = box.seal(secret, 'c')
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const spelt = `${sealed.slice(0, -1)}${last}`
      if (spelt !== sealed) assert.throws(() => box.open(spelt, 'c'), last)
    }
    for (const spelt of [`${sealed}=`, `${sealed}==`, `${sealed}.`, `${sealed}.x`, `${sealed}\n`]) {
      assert.throws(() => box.open(spelt, 'c'), spelt)
    }
    assert.equal(box.open(sealed, 'c'), secret)
  }
})

test('after a change of keys the new one seals and both open', () => {
  const old = createSecretBox([key]).seal('secret', 'c')
  const newKey = randomBytes(32)
  const box = createSecretBox([newKey, key])
  assert.equal(box.open(old, 'c'), 'secret')
  assert.equal(createSecretBox([newKey]).open(box.seal('secret', 'c'), 'c'), 'secret')
  assert.throws(() => createSecretBox([newKey]).open(old, 'c'), /key that is not here/)
})

test('a signature holds for its text and purpose, in every process with the key', () => {
  const signature = createSecretBox([key]).sign('text', 'token')
  const other = createSecretBox([randomBytes(32), key])
  assert.ok(other.isSigned('text', signature, 'token'))
  assert.ok(!other.isSigned('texT', signature, 'token'))
  assert.ok(!other.isSigned('text', signature, 'cookie'))
  assert.ok(!createSecretBox([randomBytes(32)]).isSigned('text', signature, 'token'))
})

test('no other spelling of a signature holds', () => {
  const box = createSecretBox([key])
  const signature = box.sign('text', 'token')
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
    const spelt = `${signature.slice(0, -1)}${last}`
    assert.equal(box.isSigned('text', spelt, 'token'), spelt === signature, last)
  }
  for (const wrong of [
    '',
    '.',
    signature.slice(0, -1),
    `${signature}A`,
    `x${signature}`,
    'é'.repeat(52),
  ]) {
    assert.ok(!box.isSigned('text', wrong, 'token'), wrong)
  }
})

test('a key of another length is refused', () => {
  assert.throws(() => createSecretBox([Buffer.alloc(16)]))
  assert.throws(() => createSecretBox([]))
})
