import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { until } from '../infra/testing/until.ts'

const children = new Set<ReturnType<typeof spawn>>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(mode: string) {
  const program = join(import.meta.dirname, 'testing/process.ts')
  const child = spawn(process.execPath, [program, mode], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  const words: string[] = []
  let errors = ''
  const logged: Record<string, unknown>[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) logged.push(JSON.parse(line))
    else words.push(line)
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  const said = (word: string): Promise<unknown> =>
    until(`“${word}”`, () => {
      if (words.includes(word)) return true
      throw new Error(`${words} ${errors}`)
    })
  return { child, words, logged, errors: () => errors, exit, said }
}

test('SIGTERM ends everything in the opposite order, with exit code 0 and a log line before and after', async () => {
  const { child, words, logged, exit, said } = start('')
  await said('ready')
  child.kill('SIGTERM')
  assert.equal(await exit, 0)
  assert.deepEqual(words, ['ready', 'ending', 'second ended', 'first ended'])
  const [stopping, stopped] = logged
  assert.deepEqual([stopping?.msg, stopping?.signal], ['stopping', 'SIGTERM'])
  assert.deepEqual([stopped?.msg, stopped?.exitCode], ['stopped', 0])
  assert.equal(typeof stopped?.durationMs, 'number')
})

test('a second signal ends it at once, but one signal delivered twice does not', async () => {
  const { child, words, exit, said } = start('slow')
  await said('ready')
  child.kill('SIGINT')
  await said('ending')
  child.kill('SIGTERM')
  const twice = Date.now()
  // Sent again until it counts as a second signal; only the passing of time makes it one.
  const again = setInterval(() => child.kill('SIGTERM'), 50)
  assert.equal(await exit, 1)
  clearInterval(again)
  assert.ok(Date.now() - twice > 300)
  assert.deepEqual(words, ['ready', 'ending', 'abandoned'])
})

test('a start that is asked to stop is left at its next step', async () => {
  const { child, words, exit, said } = start('starting')
  await said('ready')
  child.kill('SIGTERM')
  assert.equal(await exit, 0)
  assert.deepEqual(words, ['ready', 'ending', 'second ended', 'first ended'])
})

test('a bug in a start is shown with its stack, and what had started is ended', async () => {
  const { words, errors, exit } = start('bug')
  assert.equal(await exit, 1)
  assert.match(errors(), /^tradepost: Error: a bug\n\s+at /)
  assert.deepEqual(words, ['ending', 'second ended', 'first ended'])
})

test('an exception out of nowhere ends the process in order, with exit code 1', async () => {
  const { words, exit } = start('exception')
  assert.equal(await exit, 1)
  assert.deepEqual(words, ['ready', 'ending', 'second ended', 'first ended'])
})

test('an unhandled rejection ends nothing', async () => {
  const { child, exit, said } = start('rejection')
  await said('ready')
  child.kill('SIGTERM')
  assert.equal(await exit, 0)
})

test('a process that works once ends by itself', async () => {
  const { words, exit } = start('once')
  assert.equal(await exit, 0)
  assert.deepEqual(words, ['ready', 'ending', 'second ended', 'first ended'])
})
