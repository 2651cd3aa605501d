import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_ONCE, createPasswords } from './password.ts'

test('unauthenticated callers of any number of networks keep no known browser and no session from its turn', async () => {
  const passwords = createPasswords()
  // With parameters that take no time.
  const stored = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const isRefused = (source: Parameters<typeof passwords.matches>[2]): Promise<boolean> =>
    passwords.matches('a password', [stored], source).then(
      () => false,
      () => true,
    )
  const flood = Array.from({ length: 200 }, (_, i) => isRefused(`network ${i}`))
  const known = isRefused({ known: 'a person' })
  assert.equal((await Promise.all(flood)).filter((refused) => refused).length, 200 - AT_ONCE - 128)
  assert.equal(await known, false)
})

test('a hash of an earlier release is verified, and refused to any other password', async () => {
  const passwords = createPasswords()
  const stored =
    '$argon2id$v=19$m=19456,t=2,p=1$N4qNdXFNkx5gBDfhp7UpYQ$sxOZxTc8wayVIs8yZiXYcxDiFzaKBo37sx93loCUfmk'
  const matches = (password: string) => passwords.matches(password, [stored], { known: 'a person' })
  assert.deepEqual(await matches('correct horse battery staple'), [true])
  assert.deepEqual(await matches('correct horse battery staple.'), [false])
})
