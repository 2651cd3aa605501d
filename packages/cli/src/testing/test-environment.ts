// An environment for tests: output is recorded, prompts are answered from a list.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessEnvironment } from '../environment.ts'
import { paintOf } from '../paint.ts'
import { runProgram } from '../program.ts'

export interface EnvironmentOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  /** What the person answers, in order; without any there is no person to ask. */
  readonly answers?: readonly string[]
  readonly columns?: number
  readonly isTerminal?: boolean
  /** How the person starts the program. */
  readonly startedAs?: string
  /** Receives each line of progress as it comes. */
  readonly onNote?: (line: string) => void
}

export interface TestEnvironment {
  readonly environment: ProcessEnvironment
  readonly out: string[]
  readonly notes: string[]
  interrupt(): void
  /** Runs one command line in it. */
  run(...args: string[]): Promise<number>
  /** Forgets what was said so far. */
  clear(): void
  [Symbol.dispose](): void
}

export function testEnvironment(options: EnvironmentOptions = {}): TestEnvironment {
  const { env = {}, input = '', answers = [], isTerminal = false } = options
  const { columns = Number.POSITIVE_INFINITY, startedAs = 'tradepost' } = options
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-cli-'))
  const interrupted = new AbortController()
  const waiting = [...answers]
  const out: string[] = []
  const notes: string[] = []
  const note = (text: string): void => {
    notes.push(...text.split('\n'))
    options.onNote?.(text)
  }
  const ask = async (question: string): Promise<string> => {
    note(question)
    const answer = waiting.shift()
    if (answer === undefined) throw new Error(`no answer for ${question}`)
    return answer
  }
  const environment: ProcessEnvironment = {
    startedAs,
    terminal: {
      out: (text) => void out.push(...text.split('\n')),
      note,
      columns,
      isInteractive: answers.length > 0,
      outPaint: paintOf(isTerminal, env),
      notePaint: paintOf(isTerminal, env),
      ask,
      askSecretly: ask,
      readInput: async () => input,
    },
    env,
    configFolder: join(folder, 'config'),
    cwd: folder,
    signal: interrupted.signal,
    now: () => new Date(),
    random: () => 0.5,
    newId: () => crypto.randomUUID(),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    // Pauses of a test are short: what they wait for is there or comes soon.
    sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, Math.min(durationMs, 50))),
  }
  return {
    environment,
    out,
    notes,
    interrupt: () => interrupted.abort(new Error('interrupted')),
    run: (...args) => runProgram(args, environment),
    clear: () => {
      out.length = 0
      notes.length = 0
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
