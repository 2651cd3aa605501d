import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const TINY_MAIN = fileURLToPath(new URL('./tiny-main.ts', import.meta.url))

/** The program in a process of its own. */
export interface Program {
  readonly child: ChildProcess
  readonly url: string
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts it and waits for its ready line. */
export async function startProgram(
  t: TestContext,
  environment: Record<string, string>,
  main: string = TINY_MAIN,
): Promise<Program> {
  const child = spawnMain(main, environment)
  t.after(() => child.kill('SIGKILL'))
  const line = await firstLine(child)
  const ready = JSON.parse(line) as { event: string; url: string }
  assert.equal(ready.event, 'ready')
  return {
    child,
    url: ready.url,
    async stop(signal) {
      const exit = once(child, 'exit')
      child.kill(signal)
      return (await exit)[0] as number | null
    },
  }
}

/** Runs it where it is expected to refuse: its exit code and what it said. */
export async function failProgram(
  environment: Record<string, string>,
): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawnMain(TINY_MAIN, environment)
  let said = ''
  child.stderr?.on('data', (data) => {
    said += String(data)
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, said }
}

function spawnMain(main: string, environment: Record<string, string>): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const base = { PATH, NODE_COMPILE_CACHE, SANDBOX_PORT: '0', SANDBOX_LISTINGS: '100' }
  return spawn(process.execPath, [main], {
    env: { ...base, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function firstLine(child: ChildProcess): Promise<string> {
  let said = ''
  let complained = ''
  child.stderr?.on('data', (data) => {
    complained += String(data)
  })
  for await (const data of child.stdout ?? []) {
    said += String(data)
    if (said.includes('\n')) return said.slice(0, said.indexOf('\n'))
  }
  throw new Error(`the program ended before it was ready: ${complained}`)
}
