import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { whenEnded } from './processes.ts'

const ended = (child: ReturnType<typeof spawn>): Promise<readonly unknown[]> =>
  new Promise((resolve) => whenEnded(child, (...how) => resolve(how)))

test('a child that ends later is reported with its exit code', async () => {
  assert.deepEqual(await ended(spawn(process.execPath, ['-e', 'process.exit(3)'])), [3, null])
})

test('a child that was killed before anything listened is reported all the same', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual(await ended(child), [null, 'SIGKILL'])
})
