import assert from 'node:assert/strict'
import { it } from 'node:test'
import { allEnded } from './all-ended.ts'

it('a failure is thrown when the last work has ended, and results are in their order', async () => {
  const ended: string[] = []
  const slow = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    ended.push('slow')
  })
  await assert.rejects(allEnded([Promise.reject(new Error('first')), slow]), /first/)
  assert.deepEqual(ended, ['slow'])
  assert.deepEqual(await allEnded([Promise.resolve(1), Promise.resolve(2)]), [1, 2])
})
