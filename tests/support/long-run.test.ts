import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startProgram } from './child.ts'
import { until } from './until.ts'

/** A program that has begun two things, and waits for what only its signal ends. */
const program = (mostMinutes: number) =>
  startProgram(
    process.execPath,
    [
      ...['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval'],
      `import { createShutdown } from ${JSON.stringify(new URL('long-run.ts', import.meta.url).href)}
       const shutdown = createShutdown({ mostMinutes: ${mostMinutes} })
       shutdown.steps.push(() => console.log('first ended'))
       shutdown.steps.push(async () => console.log('second ended'))
       shutdown.signal.addEventListener('abort', () => console.log('aborted'))
       const hangs = setInterval(() => {}, 1000)
       try {
         console.log('begun')
         await new Promise((_, fail) => shutdown.signal.addEventListener('abort', fail))
       } catch (error) {
         await shutdown.fail(error)
       }`,
    ],
    { env: {} },
  )

it('a signal aborts what runs, then ends what was begun, the last first, and the program with 130', async () => {
  const child = program(1)
  await until('it has begun', () => child.stdout() === 'begun')
  // npm forwards the signal that a terminal has already sent.
  child.signal('SIGINT')
  child.signal('SIGINT')
  assert.deepEqual(await child.exited, { code: 130, signal: null })
  assert.equal(child.stdout(), 'begun\naborted\nsecond ended\nfirst ended')
  assert.equal(child.stderr(), '', 'what fails by the end is no news')
})

it('what takes longer than its time says so, and ends the same way with 1', async () => {
  const child = program(0.001)
  assert.deepEqual(await child.exited, { code: 1, signal: null })
  assert.equal(child.stdout(), 'begun\naborted\nsecond ended\nfirst ended')
  assert.equal(child.stderr(), 'it took longer than 0.001 minutes')
})
