// The life of a process: it starts things, it is asked to stop, it ends them in the opposite order.
import { CannotStart } from '#platform/cannot-start'
import type { Log } from '#platform/log'

export interface Lifecycle {
  /** What to end, and how; the latest is ended first. */
  onStop(name: string, end: () => Promise<void> | void): void
  /** For children of this process, when there is no time left: must not wait for anything. */
  onAbandon(end: () => void): void
  /** Ends everything and then the process. */
  stop(exitCode: number): Promise<never>
  readonly stopping: boolean
}

/** Requests under way get this long to finish; nothing else may take longer either. */
const STOP_STEP_MS = 10_000

/**
 * Runs a process: `start` says what it is made of. SIGTERM and SIGINT end it in order with exit code 0,
 * a second one at once. What keeps it from starting is one sentence on stderr and exit code 1.
 */
export async function runProcess(start: (lifecycle: Lifecycle) => Promise<Log>): Promise<void> {
  let log: Log | null = null
  const lifecycle = createLifecycle(() => log)
  let signals = 0
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      signals++
      if (signals === 1) void lifecycle.stop(0)
      else lifecycle.abandon(1)
    })
  }
  process.on('unhandledRejection', (error) => {
    // One request or one run of a job went wrong in a way nobody foresaw; the others are sound.
    log?.error({ err: error }, 'unhandled rejection')
  })
  process.on('uncaughtException', (error) => {
    if (log) log.error({ err: error }, 'uncaught exception: the process ends')
    else tell(error)
    void lifecycle.stop(1)
  })
  try {
    log = await start(lifecycle)
  } catch (error) {
    if (lifecycle.stopping) return
    tell(error)
    await lifecycle.stop(1)
  }
}

function createLifecycle(
  logOf: () => Log | null,
): Lifecycle & { abandon(exitCode: number): never } {
  const steps: { name: string; end: () => Promise<void> | void }[] = []
  const children: (() => void)[] = []
  let stopping: Promise<never> | null = null

  const abandon = (exitCode: number): never => {
    for (const end of children) end()
    process.exit(exitCode)
  }
  const endAll = async (exitCode: number): Promise<never> => {
    // Things may still be added while a start is interrupted: the list is read until it is empty.
    for (let step = steps.pop(); step; step = steps.pop()) {
      await endOne(step, logOf())
    }
    return process.exit(exitCode)
  }
  return {
    onStop: (name, end) => {
      steps.push({ name, end })
    },
    onAbandon: (end) => {
      children.push(end)
    },
    stop: (exitCode) => {
      stopping ??= endAll(exitCode)
      return stopping
    },
    abandon,
    get stopping() {
      return stopping !== null
    },
  }
}

async function endOne(
  { name, end }: { name: string; end: () => Promise<void> | void },
  log: Log | null,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, STOP_STEP_MS, 'late')
  })
  try {
    const outcome = await Promise.race([end(), late])
    if (outcome === 'late') log?.warn({ step: name }, 'did not stop in time')
  } catch (error) {
    log?.error({ step: name, err: error }, 'did not stop cleanly')
  } finally {
    clearTimeout(timer)
  }
}

/** People read this: a sentence for what they can put right, a stack only for what we must. */
function tell(error: unknown): void {
  const text = error instanceof CannotStart ? error.message : describeBug(error)
  process.stderr.write(`tradepost: ${text}\n`)
}

const describeBug = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
