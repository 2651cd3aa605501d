import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newSecret } from './secret.ts'

it('a secret is whsec_ and 43 base64url characters, never twice the same', () => {
  assert.match(newSecret(), /^whsec_[A-Za-z0-9_-]{43}$/)
  assert.notEqual(newSecret(), newSecret())
})
