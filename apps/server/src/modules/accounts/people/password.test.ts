import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_ONCE, createPasswords } from './password.ts'

test('visitors of any number of networks keep no known browser and no session from its turn', async () => {
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
