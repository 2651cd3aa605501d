// Background jobs of a worker. Every worker process runs every job; rows of the domain itself say what is
// due and are claimed with `for update skip locked`. A singleton runs in the one process that holds the
// lease of its name.

import type { Db } from '../database/db.ts'
import { startElapsed } from '../database/leases.ts'
import type { Clock } from '../process/clock.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { beginRun, traced } from '../tracing/tracing.ts'
import { type DueQuestion, type DueWatch, LOOK_MS } from './due-watch.ts'
import { type Heart, startHeartbeats } from './heartbeats.ts'
import { createJobLeases, type JobLease, type JobLeases, RENEW_MS } from './job-leases.ts'
import { type PollPause, startPollLoop } from './poll-loop.ts'

export interface Job {
  /** Unique; a label of metrics and a key of heartbeats. */
  readonly name: string
  /** It runs again after this long, or up to a tenth later, even when nothing wakes it. */
  readonly everyMs: number
  /**
   * What its queue is asked. While nothing is due it runs only once in a few seconds, and otherwise after
   * `everyMs`; a process without a watch of what is due runs it always after `everyMs`.
   */
  readonly due?: { readonly question: DueQuestion; readonly key?: string }
  /** Channels whose NOTIFY wakes it at once. */
  readonly wakeOn?: readonly string[]
  /** Runs in one process at a time: the one that holds the lease of the job's name. */
  readonly singleton?: boolean
  /**
   * Gauges of a singleton that say how something is now. They are reset when the process loses the lease:
   * what it measured last would stand beside the measurements of the next holder, and hide them.
   */
  readonly figures?: readonly { reset(): void }[]
  /**
   * Does one bounded piece of work; true when there may be more to do at once. A singleton may also work
   * on until its signal aborts. An error is logged, and the job runs again after a pause.
   */
  work(run: JobRun): Promise<boolean>
  /** Called once, when every job of the process has ended: writes what is still in memory. */
  atEnd?(): Promise<void>
}

export interface JobRun {
  /** The process stops, or the lease of a singleton is lost. */
  readonly signal: AbortSignal
  /** The process that runs it, as in its heartbeats. */
  readonly processId: string
}

export interface JobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Identifies this process among all others. */
  readonly processId: string
  /** Of this process, for all of its sets of jobs. */
  readonly dueWatch?: DueWatch
  /** Likewise. Without it each set has its own. */
  readonly leases?: JobLeases
}

export interface RunningJobs {
  wake(name: string): void
  /** Ends each job after its current piece of work and releases its lease. */
  stop(): Promise<void>
}

/** Runs jobs until they are stopped. */
export async function startJobs(jobs: readonly Job[], given: JobDeps): Promise<RunningJobs> {
  const deps = { ...given, leases: given.leases ?? createJobLeases(given) }
  const channels = new Map<string, (() => void)[]>()
  const running = jobs.map((job) => {
    const one = startJob(job, deps)
    for (const channel of job.wakeOn ?? []) {
      channels.set(channel, [...(channels.get(channel) ?? []), one.wake])
    }
    return one
  })
  const heartbeats = startHeartbeats(
    running.map(({ heart }) => heart),
    deps,
  )
  // One subscription for each channel, however many jobs it wakes.
  const unlisten = await Promise.all(
    [...channels].map(([channel, wakes]) =>
      deps.db.listen(channel, () => {
        for (const wake of wakes) wake()
      }),
    ),
  )
  return {
    wake: (name) => running.find(({ heart }) => heart.job === name)?.wake(),
    stop: async () => {
      await Promise.all(unlisten.map((end) => end().catch(() => {})))
      await Promise.all(running.map((one) => one.stop()))
      await Promise.all(jobs.map((job) => job.atEnd?.()))
      await heartbeats.stop()
    },
  }
}

interface RunningJob {
  readonly heart: Heart
  wake(): void
  stop(): Promise<void>
}

type RunOnce = (signal: AbortSignal) => Promise<boolean>

/**
 * What fails in one process alone, another may be able to do: after failing for so long, a process releases
 * the lease of a singleton. Not sooner, because what moves with the lease (sessions of bots, for one) is not
 * to move when a counterpart is away for seconds.
 */
const FAILING_MS = 60_000
/** After that, every process on standby asks for it before this one does. */
const REST_AFTER_RELEASE_MS = 2 * RENEW_MS
const MIN_PAUSE_AFTER_ERROR_MS = 200
const MAX_PAUSE_AFTER_ERROR_MS = 10_000
/** A job of whose queue nothing is due runs so often: what it also looks at is not for ever unseen. */
const IDLE_MS = 5000

function startJob(job: Job, deps: JobDeps & { readonly leases: JobLeases }): RunningJob {
  const { clock, log, dueWatch } = deps
  const meters = metersOf(deps.metrics)
  const heart: Heart = { job: job.name, startedAt: clock.now(), succeededAt: null, error: null }
  // A job that has never succeeded is as silent as one that has stopped.
  meters.success.labels(job.name).set(heart.startedAt.getTime() / 1000)
  meters.every.labels(job.name).set(job.everyMs / 1000)
  const lease = job.singleton
    ? deps.leases({ name: job.name, holder: deps.processId }, () => loop.wake())
    : null
  /** Of a singleton, as its last run found it: another one, or null, is found after it was lost. */
  let held: AbortSignal | null = null
  /** Since the first of the failures in a row. */
  let failingMs: (() => number) | null = null
  const sinceNow = (): (() => number) => startElapsed(clock, () => performance.now())
  const due = dueWatch === undefined ? undefined : job.due
  const idleMs = due === undefined ? job.everyMs : Math.max(job.everyMs, IDLE_MS)
  /** Of `performance.now()`: what is due wakes it from then on. */
  let heedsDueAtMs = 0

  const runOnce: RunOnce = (signal) => traced(beginRun(job), runTraced, signal)
  const runTraced: RunOnce = async (signal) => {
    const startedAt = performance.now()
    const elapsedMs = sinceNow()
    try {
      const more = await job.work({ signal, processId: deps.processId })
      failingMs = null
      heart.succeededAt = clock.now()
      heart.error = null
      meters.success.labels(job.name).set(heart.succeededAt.getTime() / 1000)
      return more
    } catch (error) {
      // What works on until its signal aborts fails after hours of good work.
      if (failingMs === null || elapsedMs() >= FAILING_MS) failingMs = sinceNow()
      throw error
    } finally {
      meters.seconds.labels(job.name).observe((performance.now() - startedAt) / 1000)
    }
  }
  const lookAtLease = ({ acquire }: JobLease): AbortSignal | null => {
    const before = held
    held = acquire()
    if (before !== null && before !== held) {
      failingMs = null
      for (const figure of job.figures ?? []) figure.reset()
    }
    return held
  }
  const loop = startPollLoop({
    pollMs: job.everyMs,
    restMs: 0,
    isForeground: true,
    run: async (stopping): Promise<Partial<PollPause>> => {
      // What is due while it runs is what it works on; after a failure the next run is a matter of its pause.
      heedsDueAtMs = Number.POSITIVE_INFINITY
      let signal = stopping
      if (lease) {
        const ours = lookAtLease(lease)
        // On standby: it is woken when the lease is acquired.
        if (ours === null) return { pollMs: Number.POSITIVE_INFINITY }
        signal = AbortSignal.any([stopping, ours])
      }
      const more = await runOnce(signal)
      heedsDueAtMs = performance.now() + job.everyMs - LOOK_MS
      return { pollMs: more ? 0 : spread(idleMs) }
    },
    onError: (error, failures) => {
      heart.error = error instanceof Error ? error.message : String(error)
      meters.errors.labels(job.name).inc()
      log.error({ job: job.name, failures, err: error }, 'job failed')
      if (lease && failingMs !== null && failingMs() >= FAILING_MS) {
        failingMs = null
        void lease.release()
        return { pollMs: REST_AFTER_RELEASE_MS, restMs: REST_AFTER_RELEASE_MS }
      }
      // A NOTIFY must not turn a failing job into a busy loop.
      return { pollMs: pauseAfter(failures, job.everyMs), restMs: MIN_PAUSE_AFTER_ERROR_MS }
    },
  })
  const unwatch =
    due &&
    dueWatch?.add({ key: '', ...due }, () => {
      if (performance.now() >= heedsDueAtMs) loop.wake()
    })
  return {
    heart,
    wake: loop.wake,
    stop: async () => {
      unwatch?.()
      await loop.stop()
      await lease?.release()
    },
  }
}

/**
 * A pause that is up to a tenth longer. Jobs that once waited for the same thing end together, and with equal
 * pauses they would ask the database together from then on.
 */
const spread = (milliseconds: number): number => milliseconds * (1 + Math.random() / 10)

/** Doubles with each failure in a row; a job that runs seldom does not wait for its next turn. */
export function pauseAfter(failures: number, everyMs: number): number {
  const first = Math.min(Math.max(everyMs, MIN_PAUSE_AFTER_ERROR_MS), MAX_PAUSE_AFTER_ERROR_MS)
  return Math.min(
    first * 2 ** Math.min(failures - 1, 10),
    Math.max(MAX_PAUSE_AFTER_ERROR_MS, everyMs),
  )
}

interface Meters {
  readonly seconds: ReturnType<Metrics['histogram']>
  readonly success: ReturnType<Metrics['gauge']>
  readonly every: ReturnType<Metrics['gauge']>
  readonly errors: ReturnType<Metrics['counter']>
}

const LABELS = ['job_name']

const metersOf = (metrics: Metrics): Meters => ({
  seconds: metrics.histogram('job_seconds', 'Time of one run of a job', { labels: LABELS }),
  success: metrics.gauge(
    'job_last_success_seconds',
    'Unix time of the last good run, or of the start of the process before the first one',
    LABELS,
  ),
  every: metrics.gauge('job_every_seconds', 'After how long a job runs again', LABELS),
  errors: metrics.counter('job_errors_total', 'Runs of a job that failed', LABELS),
})
