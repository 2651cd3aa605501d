// Questions and answers between the runner and its helper processes. Helpers are processes of their own,
// so that neither load nor peers share an event loop with what is measured.
import { type ChildProcess, fork } from 'node:child_process'

// biome-ignore lint/suspicious/noExplicitAny: a bound on any function at all, never the type of a value
export type Methods = Record<string, (...values: any[]) => unknown>

export interface Helper<M extends Methods> {
  readonly pid: number
  call<Name extends keyof M & string>(
    method: Name,
    ...values: Parameters<M[Name]>
  ): Promise<Awaited<ReturnType<M[Name]>>>
  stop(): Promise<void>
}

interface Question {
  readonly id: number
  readonly method: string
  readonly values: unknown[]
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/** Starts a helper and waits for nothing: the first question waits until it listens. */
export function startHelper<M extends Methods>(
  file: string,
  {
    profileFolder = null,
    nodeFlags = [],
  }: { readonly profileFolder?: string | null; readonly nodeFlags?: readonly string[] } = {},
): Helper<M> {
  const child = fork(file, [], {
    serialization: 'advanced',
    env: { PATH: process.env.PATH ?? '' },
    execArgv: [
      ...nodeFlags,
      ...(profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []),
    ],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let ids = 0
  child.on('message', ({ id, value, error }: Answer) => {
    const question = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) question?.resolve(value)
    else question?.reject(new Error(error))
  })
  child.on('exit', (code, signal) => {
    for (const question of waiting.values()) {
      question.reject(new Error(`${file} ended (${signal ?? code})`))
    }
    waiting.clear()
  })
  return {
    pid: child.pid ?? -1,
    call: async (method, ...values) => {
      if (!child.connected) throw new Error(`${file} has ended`)
      const id = ++ids
      const question = Promise.withResolvers<unknown>()
      waiting.set(id, question)
      child.send({ id, method, values } satisfies Question)
      return question.promise as Promise<never>
    },
    stop: () => endChild(child),
  }
}

/** In a helper: answers what it is asked, until its parent goes. */
export function answerWith(methods: Methods): void {
  process.on('message', async ({ id, method, values }: Question) => {
    try {
      const value = await methods[method]?.(...values)
      process.send?.({ id, value } satisfies Answer)
    } catch (error) {
      process.send?.({ id, error: (error as Error).stack ?? String(error) } satisfies Answer)
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.on('SIGTERM', () => process.exit(0))
}

const END_TIMEOUT_MS = 20_000

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
