import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLines } from './lines.ts'

test('work under one key runs one at a time, in its order, also behind work that fails', async () => {
  const inLine = createLines()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const work = (name: string, end?: Promise<void>) => async () => {
    seen.push(`${name} begins`)
    await end
    seen.push(`${name} ends`)
    return name
  }
  const failing = inLine('a', async () => {
    await first.promise
    throw new Error('failed')
  })
  const all = ['one', 'two'].map((name) => inLine('a', work(name)))
  assert.equal(await inLine('b', work('other')), 'other')
  assert.deepEqual(seen, ['other begins', 'other ends'])
  first.resolve()
  await assert.rejects(failing, /failed/)
  assert.deepEqual(await Promise.all(all), ['one', 'two'])
  assert.deepEqual(seen.slice(2), ['one begins', 'one ends', 'two begins', 'two ends'])
})
