import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concealer, secretsOf } from './secrets-of.ts'
import { Secret } from './setting-forms.ts'

test('secrets are found however deep they are, and so are the keys within an address', () => {
  const found = secretsOf({
    market: { key: new Secret('short'), url: 'https://market.example/api' },
    nodes: [new Secret('https://node.example/v2/0123456789abcdef0123')],
    database: 'postgres://user:pass%2Fword@db.example/tradepost',
  })
  for (const secret of ['short', '0123456789abcdef0123', 'pass/word', 'user']) {
    assert.ok(found.includes(secret), secret)
  }
  assert.ok(!found.includes('api'))
})

test('a text shows none of them, spelled for an address or as it is, and the longer ones first', () => {
  const concealed = concealer(['a+b', 'a+bc', ''])
  assert.equal(concealed('a+bc, a+b and a%2Bb'), '[secret], [secret] and [secret]')
})
