import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { createBackgroundThread } from './background-thread.ts'

const PROGRAM = new URL('../testing/background-program.ts', import.meta.url)

test('a background thread answers in order, and fails one question without failing the next', async () => {
  const ask = createBackgroundThread<string, string>(PROGRAM)
  const answers = await Promise.allSettled([ask('one'), ask('throw'), ask('two')])
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
    ['ONE', 'cannot', 'TWO'],
  )
})

test('a background thread that ends fails what it was asked, and the next question starts another', async () => {
  const ask = createBackgroundThread<string, string>(PROGRAM)
  await assert.rejects(Promise.all([ask('end'), ask('never')]), /background thread ended/)
  assert.equal(await ask('again'), 'AGAIN')
})

test('a background thread gives way, and the thread of the requests does not', {
  skip: process.platform !== 'linux' && 'a priority of one thread is a thing of Linux',
}, async () => {
  const ask = createBackgroundThread<string, string>(PROGRAM)
  const own = getPriority()
  assert.equal(await ask('priority'), String(Math.min(19, Math.max(own, 10))))
  assert.equal(getPriority(), own)
})
