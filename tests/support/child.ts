// Programs of ours as child processes: started, waited for, stopped or killed, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'

export const ROOT = join(import.meta.dirname, '../..')

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Child {
  readonly pid: number
  /** The end of the process; settles when it is gone. */
  readonly exited: Promise<Exit>
  isRunning(): boolean
  /** What it wrote last, both streams, for the message of a failure. */
  said(): string
  stdout(): string
  stderr(): string
  signal(name: NodeJS.Signals): void
  /** Sends the signal and waits for the end. */
  end(name?: NodeJS.Signals): Promise<Exit>
  /** The first line, past or to come, that the reader makes something of. */
  line<Value>(read: (line: string) => Value | null, deadlineMs?: number): Promise<Value>
}

type Environment = Readonly<Record<string, string | undefined>>

const KEPT_LINES = 4000
const STOP_DEADLINE_MS = 30_000
const running = new Set<ChildProcess>()

// A test that dies must not leave processes behind; children of theirs notice by themselves.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
// The runner ends a file so. Without a listener node would leave at once; a soak has one of its own.
process.once('SIGTERM', () => {
  if (process.listenerCount('SIGTERM') === 0) process.exit(143)
})

/** Of this process's environment, the program gets only what finds node and its compiled code. */
export function startChild(
  program: string,
  args: readonly string[],
  env: Environment,
  {
    flagsOfNode = [],
    ownSession = false,
    root = ROOT,
  }: {
    readonly flagsOfNode?: readonly string[]
    /** Another checkout, with its own Node. */
    readonly root?: string
    /** As a service manager starts it: on Linux a session has its processor time for itself (sched(7)). */
    readonly ownSession?: boolean
  } = {},
): Child {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const compiled = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
  const started = builtOf(program, root) ?? { path: program, env: compiled }
  return startProgram(
    root === ROOT ? process.execPath : join(root, 'node_modules/node/bin/node'),
    ['--disable-warning=ExperimentalWarning', ...flagsOfNode, started.path, ...args],
    { cwd: root, env: { PATH, HOME, ...started.env, ...env }, detached: ownSession },
  )
}

/**
 * The same program in a few files, where the run has built it (tools/tests/programs.ts). It is gone with the
 * run, and so is its compiled code.
 */
function builtOf(program: string, root: string): { path: string; env: Environment } | null {
  const folder = process.env.TEST_PROGRAMS
  if (folder === undefined || root !== ROOT) return null
  const path = `${join(folder, relative(ROOT, program))}.mjs`
  return existsSync(path) ? { path, env: { NODE_COMPILE_CACHE: join(folder, 'compiled') } } : null
}

/** Any program, with this environment alone. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: Environment; readonly detached?: boolean },
): Child {
  const child = spawn(program, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const lines = { stdout: [] as string[], stderr: [] as string[] }
  const all: string[] = []
  const readers = new Set<(line: string) => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[name] }).on('line', (line) => {
      for (const kept of [lines[name], all]) {
        kept.push(line)
        if (kept.length > KEPT_LINES) kept.shift()
      }
      for (const reader of [...readers]) reader(line)
    })
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null

  return {
    pid: child.pid ?? -1,
    exited,
    isRunning,
    said: () => all.slice(-60).join('\n'),
    stdout: () => lines.stdout.join('\n'),
    stderr: () => lines.stderr.join('\n'),
    signal: (name) => {
      child.kill(name)
    },
    end: async (name = 'SIGTERM') => {
      if (isRunning()) child.kill(name)
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
      const exit = await exited
      clearTimeout(timer)
      return exit
    },
    line: (read, deadlineMs = 240_000) =>
      new Promise((resolve, reject) => {
        const finish = (settle: () => void): void => {
          clearTimeout(timer)
          readers.delete(reader)
          settle()
        }
        const reader = (line: string): void => {
          const value = read(line)
          if (value !== null) finish(() => resolve(value))
        }
        const fail = (why: string): void =>
          finish(() => reject(new Error(`${program} ${why}:\n${all.slice(-40).join('\n')}`)))
        const timer = setTimeout(() => fail('did not say what was waited for'), deadlineMs)
        readers.add(reader)
        for (const line of [...all]) if (readers.has(reader)) reader(line)
        void exited.then(() => {
          if (readers.has(reader)) fail('ended')
        })
      }),
  }
}

/** A line of JSON as an object; null for anything else. */
export function jsonLine(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}
