// The one loop of this service that polls and can be woken: jobs, heartbeats, leases, and the readers that
// follow the outbox and the catalogue. Runs never overlap, a wake during a run is not lost, and wakes that
// come in a burst make one run.

import { withoutTenant } from '../database/tenant-context.ts'
import { detached } from '../tracing/tracing.ts'

export interface PollPause {
  /** The next run begins after this long when nothing wakes the loop. Infinity: only a wake begins one. */
  readonly pollMs: number
  /** A wake begins no run earlier than this after the last one ended: it bounds the rate of woken runs. */
  readonly restMs: number
}

export interface PollLoopOptions extends PollPause {
  /** One bounded run. What it returns replaces the pauses of the loop once, for the pause after this run. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most runs return nothing
  run(signal: AbortSignal): Promise<Partial<PollPause> | void>
  /** A run failed. The loop goes on, after the pauses that this may return. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most handlers only log
  onError(error: unknown, failuresInARow: number): Partial<PollPause> | void
  /** The first run begins after this long, or when woken; at once by default. */
  readonly firstMs?: number
  /** Timers of the loop keep the process alive. */
  readonly isForeground?: boolean
}

export interface PollLoop {
  /** Begins a run as soon as the rest allows; a wake during a run begins another one after it. */
  wake(): void
  /** Ends the loop; resolves when a run that is under way has ended. The signal of that run is aborted. */
  stop(): Promise<void>
}

/** The longest delay that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function startPollLoop(options: PollLoopOptions): PollLoop {
  const stopping = new AbortController()
  let state: 'waiting' | 'due' | 'running' | 'resting' = 'waiting'
  let isWoken = false
  let failures = 0
  let running: Promise<void> = Promise.resolve()
  let restTimer: NodeJS.Timeout | undefined
  let pollTimer: NodeJS.Timeout | undefined

  const after = (delayMs: number, begin: () => void): NodeJS.Timeout | undefined => {
    if (delayMs === Number.POSITIVE_INFINITY) return undefined
    // The request that wakes the loop is one of many that its run serves.
    const timer = setTimeout(() => detached(withoutTenant, begin), Math.min(delayMs, MAX_TIMER_MS))
    return options.isForeground ? timer : timer.unref()
  }
  const clearTimers = (): void => {
    clearTimeout(restTimer)
    clearTimeout(pollTimer)
  }
  const pauseFor = ({ pollMs = options.pollMs, restMs = options.restMs }): void => {
    if (stopping.signal.aborted) return
    state = 'resting'
    restTimer = after(restMs, endRest)
    // Also a poll of zero is a turn of the event loop: work without end must not block the process.
    pollTimer = after(pollMs, begin)
  }
  const endRest = (): void => {
    state = 'waiting'
    if (isWoken) beginSoon()
  }
  // In a turn of its own, so that all wakes of this turn make one run.
  const beginSoon = (): void => {
    clearTimers()
    state = 'due'
    pollTimer = after(0, begin)
  }
  const begin = (): void => {
    clearTimers()
    state = 'running'
    isWoken = false
    running = runOnce()
  }
  const runOnce = async (): Promise<void> => {
    let pause: Partial<PollPause> | undefined
    try {
      pause = (await options.run(stopping.signal)) ?? undefined
      failures = 0
    } catch (error) {
      failures++
      pause = options.onError(error, failures) ?? undefined
    }
    pauseFor(pause ?? {})
  }

  pollTimer = after(options.firstMs ?? 0, begin)
  return {
    wake: () => {
      if (stopping.signal.aborted) return
      isWoken = true
      if (state === 'waiting') beginSoon()
    },
    stop: async () => {
      stopping.abort()
      clearTimers()
      await running
    },
  }
}
