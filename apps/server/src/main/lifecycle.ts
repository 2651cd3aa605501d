// The life of a process: it starts things, it is asked to stop, it ends them in the opposite order.
import { CannotStart } from '#infra/process/cannot-start'
import type { Log } from '#infra/process/log'

export interface Lifecycle {
  /** What to end, and how; the latest is ended first. */
  onStop(name: string, end: () => Promise<void> | void): void
  /** For children of this process, when there is no time left: must not wait for anything. */
  onAbandon(end: () => void): void
  /**
   * Ends the process in order, with exit code 1: it cannot do its work; the service manager starts another.
   */
  fail(reason: string): void
  /** Between two steps of a start: leaves it when the process has been asked to stop meanwhile. */
  proceed(): void
}

/** Requests under way get this long to finish; nothing else may take longer either. */
const STOP_STEP_MS = 10_000
/** A start that is asked to stop comes to its next step within this time, or is left behind. */
const START_STEP_MS = 20_000
/** The same request to stop may arrive twice within this time: from the terminal, and passed on by npm. */
const SIGNAL_REPEAT_MS = 500

/**
 * Runs a process: `start` says what it is made of. SIGTERM and SIGINT end it in order with exit code 0,
 * a second one at once. What keeps it from starting is one sentence on stderr and exit code 1.
 * With `once` the process has done its work when `start` returns.
 */
export async function runProcess(
  start: (lifecycle: Lifecycle) => Promise<Log>,
  { once = false } = {},
): Promise<void> {
  let log: Log | null = null
  const { lifecycle, endAll, abandon } = createLifecycle(
    () => log,
    () => stop(1),
  )
  const begun = Promise.withResolvers<void>()
  let stopping = false

  const stop = (exitCode: number, signal: NodeJS.Signals | null = null): void => {
    if (stopping) return
    stopping = true
    const since = performance.now()
    void within(START_STEP_MS, begun.promise).then(async () => {
      log?.info({ signal }, 'stopping')
      await endAll()
      log?.info({ exitCode, durationMs: Math.round(performance.now() - since) }, 'stopped')
      process.exit(exitCode)
    })
  }
  let askedAt: number | null = null
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (askedAt !== null && performance.now() - askedAt < SIGNAL_REPEAT_MS) return
      if (askedAt !== null) abandon()
      askedAt = performance.now()
      lifecycle.interrupt()
      stop(0, name)
    })
  }
  process.on('unhandledRejection', (error) => {
    // One request or one run of a job failed unexpectedly; the others are sound.
    if (log) log.error({ err: error }, 'unhandled rejection')
    else reportFatal(error)
  })
  process.on('uncaughtException', (error) => {
    if (log) log.error({ err: error }, 'uncaught exception: the process ends')
    else reportFatal(error)
    lifecycle.interrupt()
    stop(1)
  })

  try {
    log = await start(lifecycle)
    begun.resolve()
    if (once) stop(0)
  } catch (error) {
    begun.resolve()
    if (error instanceof Interrupted) return
    reportFatal(error)
    stop(1)
  }
}

class Interrupted extends Error {}

function createLifecycle(logOf: () => Log | null, stopFailed: () => void) {
  const steps: { name: string; end: () => Promise<void> | void }[] = []
  const children: (() => void)[] = []
  let interrupted = false
  const lifecycle: Lifecycle & { interrupt(): void } = {
    onStop: (name, end) => {
      steps.push({ name, end })
    },
    onAbandon: (end) => {
      children.push(end)
    },
    fail: (reason) => {
      logOf()?.error({ reason }, 'the process cannot go on and ends')
      interrupted = true
      stopFailed()
    },
    proceed: () => {
      if (interrupted) throw new Interrupted()
    },
    interrupt: () => {
      interrupted = true
    },
  }
  return {
    lifecycle,
    endAll: async (): Promise<void> => {
      for (let step = steps.pop(); step; step = steps.pop()) await endOne(step, logOf())
    },
    abandon: (): never => {
      for (const end of children) end()
      return process.exit(1)
    },
  }
}

async function endOne(
  { name, end }: { name: string; end: () => Promise<void> | void },
  log: Log | null,
): Promise<void> {
  try {
    const inTime = await within(STOP_STEP_MS, Promise.resolve(end()))
    if (!inTime) log?.warn({ step: name }, 'did not stop in time')
  } catch (error) {
    log?.error({ step: name, err: error }, 'did not stop cleanly')
  }
}

/** False when the work takes longer. */
async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** People read this: a sentence for what they can put right, a stack only for what we must. */
function reportFatal(error: unknown): void {
  const text = error instanceof CannotStart ? error.message : describeBug(error)
  process.stderr.write(`tradepost: ${text}\n`)
}

const describeBug = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
