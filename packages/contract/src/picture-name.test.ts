import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pictureName } from './picture-name.ts'

it('a hash of the platform has the same name alone and in each of its addresses', () => {
  const hash = '-9a81dlWLwJ2UUGcVs_nsVtzdOEdtWwKGZZLQHTxDZ7I56KU0Zwwo4NUX4oFJZEHLbXH5ApeO4Y'
  const name = pictureName(hash)
  assert.match(name ?? '', /^[0-9a-f]{16}$/)
  for (const host of ['community.akamai.steamstatic.com', 'community.fastly.steamstatic.com']) {
    assert.equal(pictureName(`https://${host}/economy/image/${hash}`), name)
  }
})

it('other addresses have names of their own, and what is none has no name', () => {
  const names = ['https://a.example/1.png', 'https://a.example/2.png', 'http://a.example/1.png']
  assert.equal(new Set(names.map(pictureName)).size, 3)
  for (const text of ['', 'javascript:alert(1)', 'a b', 'data:image/png;base64,AA']) {
    assert.equal(pictureName(text), null, text)
  }
})

it('a hundred thousand pictures have as many names', () => {
  const names = new Set<string | null>()
  for (let each = 0; each < 100_000; each++) names.add(pictureName(`https://a.example/${each}.png`))
  assert.equal(names.size, 100_000)
})
