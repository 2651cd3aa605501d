import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { createWsTokens, type WsClaims } from './ws-token.ts'

const secrets = createSecretBox([randomBytes(32)])
const tokens = createWsTokens(secrets)
const now = new Date('2026-03-01T12:00:00Z')
const claims: WsClaims = {
  ...{ accountId: newId(), tenantId: newId(), tier: 'premium', keyId: 'key-of-merchant' },
  session: null,
  ...{ address: '203.0.113.77', scopes: ['market', 'user'], expiresAt: new Date(+now + 300_000) },
}

test('a token says what it was issued for to us, until it has run out', () => {
  const token = tokens.issue(claims)
  assert.deepEqual(tokens.read(token, now), claims)
  assert.equal(tokens.read(token, claims.expiresAt), null)
  const ofPerson = { ...claims, session: { sessionId: newId(), personId: newId() } }
  assert.deepEqual(tokens.read(tokens.issue(ofPerson), now), ofPerson)
})

test('who holds a token reads neither the address nor the key that it was asked for with', () => {
  const token = tokens.issue(claims)
  const parts = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  for (const text of [token, ...parts]) {
    for (const secret of [claims.address, claims.keyId, claims.accountId]) {
      assert.ok(!text.includes(secret), text)
    }
  }
})

test('a token has one spelling, and what was sealed for something else is none', () => {
  const token = tokens.issue(claims)
  for (const spelt of [`${token}=`, `${token}.`, ` ${token}`, token.slice(0, -1), '', 'a.b']) {
    assert.equal(tokens.read(spelt, now), null, spelt)
  }
  assert.equal(tokens.read(secrets.seal('{}', 'deposit quote'), now), null)
  assert.equal(createWsTokens(createSecretBox([randomBytes(32)])).read(token, now), null)
})
