// A thread for work that takes a processor for long. It gives way: where processors are scarce, requests and
// their answers go before it.
import { setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'

/** The nice value of setpriority(2), which Linux keeps for each thread: a tenth of what work at 0 gets. */
const GIVES_WAY = 10

interface Question {
  readonly id: number
  readonly input: unknown
}
type Answer = { readonly id: number } & ({ readonly output: unknown } | { readonly error: unknown })

interface Asked {
  resolve(output: unknown): void
  reject(error: unknown): void
}

/**
 * Asks a program that calls `answerInBackground`. Its thread starts with the first question, answers one
 * after the other, and keeps no process alive while it has none. A thread that ends fails what it was asked,
 * and the next question starts another. Inputs and outputs are copied.
 */
export function createBackgroundThread<Input, Output>(
  program: URL,
): (input: Input) => Promise<Output> {
  const asked = new Map<number, Asked>()
  let thread: Worker | null = null
  let questions = 0

  const end = (error: Error): void => {
    thread = null
    for (const { reject } of asked.values()) reject(error)
    asked.clear()
  }
  const start = (): Worker => {
    const started = new Worker(program)
    started.on('message', (answer: Answer) => {
      const one = asked.get(answer.id)
      asked.delete(answer.id)
      if (asked.size === 0) started.unref()
      if ('error' in answer) one?.reject(answer.error)
      else one?.resolve(answer.output)
    })
    started.on('error', (error) => end(error as Error))
    started.on('exit', () => {
      if (thread === started) end(new Error(`a background thread ended: ${program.pathname}`))
    })
    return started
  }
  return (input) =>
    new Promise((resolve, reject) => {
      thread ??= start()
      thread.ref()
      const id = ++questions
      asked.set(id, { resolve: resolve as Asked['resolve'], reject })
      thread.postMessage({ id, input } satisfies Question)
    })
}

/** In the program of such a thread: answers every question with what `work` returns or throws. */
export function answerInBackground<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
): void {
  const port = parentPort
  if (port === null) throw new Error('no background thread')
  try {
    setPriority(GIVES_WAY)
  } catch {
    // Where the system forbids it the work is as important as any other.
  }
  port.on('message', async ({ id, input }: Question) => {
    try {
      port.postMessage({ id, output: await work(input as Input) })
    } catch (error) {
      port.postMessage({ id, error })
    }
  })
}
