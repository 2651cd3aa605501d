// The process: its terminal, its signals, its exit code.
import { webcrypto } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ProcessEnvironment, Terminal } from './environment.ts'
import { paintOf } from './paint.ts'
import { runProgram } from './program.ts'

const { env, stdin, stdout, stderr } = process
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // Once: a second signal ends a program that does not stop.
  process.once(name, () => interrupted.abort(new Error('interrupted')))
}
// The reader of the pipe has exited, as with `| head`.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

function ask(question: string, isSecret: boolean): Promise<string> {
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isSecret) stderr.write(chunk)
      done()
    },
  })
  // Echo is off before the prompt is written, so that a key that is typed quickly is not shown.
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
      // The line break was not echoed either.
      if (isSecret || answer === null) stderr.write('\n')
      if (answer === null) reject(new Error('The input ended.'))
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
  // A terminal has nothing that was piped in, and would wait for what is typed.
  readInput: async () => (stdin.isTTY ? '' : text(stdin)),
}

/** Of what npx starts npm says so; in a checkout nothing is installed, and npx alone finds the program. */
const isStartedByNpx = env.npm_command === 'exec' || import.meta.url.endsWith('.ts')

const environment: ProcessEnvironment = {
  terminal,
  startedAs: isStartedByNpx ? 'npx tradepost' : 'tradepost',
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

process.exitCode = await runProgram(process.argv.slice(2), environment)
// Standard input is released: an open terminal would keep the process alive.
stdin.unref?.()
