import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { terminalText } from './log-terminal.ts'

const FIELDS = { level: 'warn', time: '2026-11-29T10:00:00.000Z', role: 'api', pid: 7, event: 'x' }
const textOf = (fields: object, hasColors = false): string =>
  terminalText(`${JSON.stringify({ ...FIELDS, ...fields })}\n`, { hasColors })

test('a person reads the time of day, the level, the sentence and the fields, on one line', () => {
  const text = textOf({ market: 'market_a', detail: 'no answer', msg: 'market offline' })
  assert.match(text, /^\d\d:\d\d:\d\d warn {2}market offline market=market_a detail="no answer"\n$/)
})

test('an error is its message; its stack follows on a line of level error alone', () => {
  const error = { message: 'lost', stack: 'Error: lost\n    at one (a.ts:1)\n    at two (b.ts:2)' }
  assert.match(textOf({ err: error, msg: 'job failed' }), /job failed: lost\n$/)
  assert.match(
    textOf({ level: 'error', err: error, msg: 'job failed' }),
    /job failed: lost\n {4}at one \(a\.ts:1\)\n {4}at two \(b\.ts:2\)\n$/,
  )
})

test('a long value is cut, and no value moves the cursor', () => {
  const text = textOf({ long: 'a'.repeat(500), odd: 'red\u001b[31m\u0007', msg: 'a\u001b[2Jb' })
  assert.ok(text.length < 200, text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not have them
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f]/)
})

test('colours are only for a terminal that has them', () => {
  assert.ok(!textOf({ msg: 'x' }).includes('\u001b'))
  assert.ok(textOf({ msg: 'x' }, true).includes('\u001b[33mwarn'))
})

test('a line that is no JSON stays as it is', () => {
  assert.equal(terminalText('as it is\n', { hasColors: false }), 'as it is\n')
})

const PROGRAM = `import { createLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
createLog({ level: "info" }).info({ token: "hunter2", n: 1 }, "the log of a terminal")`
const ARGS = ['--input-type=module', '--eval', PROGRAM]
const noTerminal =
  spawnSync('script', ['--version']).status === 0 ? false : 'the program script is not installed'

test('what is piped is JSON, what is written to a terminal is text, and neither has a secret', {
  skip: noTerminal,
}, () => {
  const piped = spawnSync(process.execPath, ARGS, { encoding: 'utf8' }).stdout
  const { event, n, token } = JSON.parse(piped)
  assert.deepEqual([event, n, token], ['log_of_terminal', 1, '[secret]'])
  const command = [process.execPath, ...ARGS].map((word) => `'${word}'`).join(' ')
  const options = { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } } as const
  const shown = spawnSync('script', ['-qec', command, '/dev/null'], options).stdout
  assert.match(shown, /info {2}the log of a terminal .*n=1/)
  assert.match(shown, /token=\[secret\]/)
})
