import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBotSecrets, tokenClaims } from './bot-secrets.ts'

const token = (sub: string): string =>
  `e30.${Buffer.from(JSON.stringify({ sub, iat: 1, exp: 2 })).toString('base64url')}.signature`
const ID = '76561199959266729'
const BOT = {
  platformId: ID,
  identitySecret: Buffer.alloc(20, 1).toString('base64'),
  refreshToken: token(ID),
}
const parse = (...bots: unknown[]) => parseBotSecrets(JSON.stringify(bots))

test('a list of bots is read; what else the file says of them is left out', () => {
  assert.deepEqual(parse({ ...BOT, accountName: 'fox', sharedSecret: 'x' }), [BOT])
  assert.deepEqual(parse(), [])
})

const wrong: [string, unknown[], RegExp][] = [
  ['an id of the wrong form', [{ ...BOT, platformId: '7656' }], /^bot 1 has no platformId/],
  [
    'a secret that is too short',
    [BOT, { ...BOT, identitySecret: 'YWJj' }],
    /^bot 2 has no identity/,
  ],
  [
    'a token of another account',
    [{ ...BOT, refreshToken: token('1') }],
    /^bot 1 has no refreshToken/,
  ],
  ['a token that is none', [{ ...BOT, refreshToken: 'hunter2' }], /^bot 1 has no refreshToken/],
  ['a bot named twice', [BOT, BOT], /^a bot is named twice$/],
  ['no bot at all', [null], /^bot 1 has no platformId/],
]
for (const [what, bots, message] of wrong) {
  test(`refused without quoting it: ${what}`, () => {
    assert.throws(
      () => parse(...bots),
      (error: Error) => message.test(error.message) && !error.message.includes('hunter2'),
    )
  })
}

test('what is no JSON list is refused', () => {
  for (const text of ['', '{}', 'null', '[', JSON.stringify(BOT)]) {
    assert.throws(() => parseBotSecrets(text), /^Error: the bots are not a JSON list$/)
  }
})

test('a token states its account and its times, and nonsense states nothing', () => {
  assert.deepEqual(tokenClaims(token(ID)), {
    platformId: ID,
    issuedAt: new Date(1000),
    expiresAt: new Date(2000),
  })
  for (const text of ['', 'a.b', 'a.b.c', '..', token(ID).slice(0, 20)]) {
    assert.equal(tokenClaims(text), null, text)
  }
})
