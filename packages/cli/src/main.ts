// The process: its terminal, its signals, its exit code.
import { webcrypto } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { paintOf } from './paint.ts'
import { runProgram } from './program.ts'
import type { Terminal, World } from './world.ts'

const { env, stdin, stdout, stderr } = process
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // Once: a second one ends a program that does not end.
  process.once(name, () => interrupted.abort(new Error('interrupted')))
}
// Whoever read us has gone (`| head`): nobody is left to write to.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

function ask(question: string, isSecret: boolean): Promise<string> {
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isSecret) stderr.write(chunk)
      done()
    },
  })
  // It takes the echo from the terminal, and writes above what it would show in its place. So it comes
  // before the question: whoever answers quickly would be read by everybody.
  const editor = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  const { signal } = interrupted
  const end = (): void => editor.close()
  stderr.write(question)
  return new Promise((resolve, reject) => {
    let answer: string | null = null
    signal.addEventListener('abort', end, { once: true })
    editor.on('SIGINT', () => interrupted.abort(new Error('interrupted')))
    editor.on('line', (line) => {
      answer = line
      editor.close()
    })
    editor.on('close', () => {
      signal.removeEventListener('abort', end)
      // The end of the line was not shown either.
      if (isSecret || answer === null) stderr.write('\n')
      if (answer === null) reject(new Error('There was no answer.'))
      else resolve(answer.trim())
    })
  })
}

const terminal: Terminal = {
  out: (line) => void stdout.write(`${line}\n`),
  note: (line) => void stderr.write(`${line}\n`),
  get columns() {
    return stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY
  },
  isInteractive: stdin.isTTY === true && stderr.isTTY === true,
  outPaint: paintOf(stdout.isTTY === true, env),
  notePaint: paintOf(stderr.isTTY === true, env),
  ask: (question) => ask(question, false),
  askSecretly: (question) => ask(question, true),
  readInput: () => text(stdin),
}

const world: World = {
  terminal,
  env,
  configFolder: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'tradepost'),
  cwd: process.cwd(),
  signal: interrupted.signal,
  now: () => new Date(),
  random: () => Math.random(),
  newId: () => webcrypto.randomUUID(),
  randomBytes: (count) => webcrypto.getRandomValues(new Uint8Array(count)),
  sleep: (durationMs) =>
    new Promise((resolve) => {
      const { signal } = interrupted
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, durationMs)
      signal.addEventListener('abort', end)
    }),
}

process.exitCode = await runProgram(process.argv.slice(2), world)
// What was read from is let go: an open terminal would keep the process.
stdin.unref?.()
