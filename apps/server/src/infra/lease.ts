// Work that is told by the clock and by the queue. Every worker process runs every job; rows of the
// domain itself say what is due, and are claimed with `for update skip locked`. A job that must run once
// over all processes holds a named lease; calls that all processes share are spaced by time slots.
import type { Clock } from './clock.ts'
import { type Db, type Queryable, sql } from './db.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export interface Job {
  /** Unique; a label of metrics and a key of heartbeats. */
  readonly name: string
  /** It is looked at again after this long even when nothing wakes it. */
  readonly everyMs: number
  /** Channels whose NOTIFY wakes it at once. */
  readonly wakeOn?: readonly string[]
  /** Runs in one process at a time, whichever holds the lease of the job's name. */
  readonly singleton?: boolean
  /**
   * Does one bounded piece of work; true when there may be more to do at once. A singleton may also work
   * on until its signal says stop. What it throws is logged, and it is called again after a pause.
   */
  work(run: JobRun): Promise<boolean>
  /** Called once, when every job of the process has ended: what still lies in memory is put away. */
  atEnd?(): Promise<void>
}

export interface JobRun {
  /** The process stops, or the lease of a singleton is lost. */
  readonly signal: AbortSignal
  /** The process that runs it, as in its heartbeats. */
  readonly processId: string
  /** How late the oldest due piece of work is. */
  reportLag(milliseconds: number): void
}

export interface JobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Tells this process from all others. */
  readonly processId: string
}

export interface RunningJobs {
  wake(name: string): void
  /** Ends each job after its current piece of work and gives its lease back. */
  stop(): Promise<void>
}

/** Runs jobs until they are stopped. */
export async function startJobs(jobs: readonly Job[], deps: JobDeps): Promise<RunningJobs> {
  const channels = new Map<string, (() => void)[]>()
  const loops = jobs.map((job) => {
    const loop = startLoop(job, deps)
    for (const channel of job.wakeOn ?? []) {
      channels.set(channel, [...(channels.get(channel) ?? []), loop.wake])
    }
    return loop
  })
  const stopBeating = startBeating(loops, deps)
  // One connection for each channel, however many jobs it wakes.
  const unlisten = await Promise.all(
    [...channels].map(([channel, wakes]) =>
      deps.db.listen(channel, () => {
        for (const wake of wakes) wake()
      }),
    ),
  )
  return {
    wake: (name) => loops.find((loop) => loop.name === name)?.wake(),
    stop: async () => {
      await Promise.all(unlisten.map((end) => end().catch(() => {})))
      await Promise.all(loops.map((loop) => loop.stop()))
      await Promise.all(jobs.map((job) => job.atEnd?.()))
      await stopBeating()
    },
  }
}

interface Loop {
  readonly name: string
  readonly state: { readonly startedAt: Date; succeededAt: Date | null; error: string | null }
  wake(): void
  stop(): Promise<void>
}

const LEASE_MS = 10_000
/** How often a process that does not hold a lease asks for it. */
const STANDBY_MS = 3000
const MIN_PAUSE_AFTER_ERROR_MS = 200
const MAX_PAUSE_AFTER_ERROR_MS = 10_000

function startLoop(job: Job, deps: JobDeps): Loop {
  const { clock, log } = deps
  const meters = metersOf(deps.metrics)
  const stopping = new AbortController()
  const alarm = createAlarm()
  const state: Loop['state'] = { startedAt: clock.now(), succeededAt: null, error: null }
  let failures = 0

  const once = async (signal: AbortSignal): Promise<boolean> => {
    const startedAt = performance.now()
    try {
      const more = await job.work({
        signal,
        processId: deps.processId,
        reportLag: (milliseconds) => meters.lag.labels(job.name).set(milliseconds / 1000),
      })
      failures = 0
      state.succeededAt = clock.now()
      state.error = null
      meters.success.labels(job.name).set(state.succeededAt.getTime() / 1000)
      return more
    } finally {
      meters.seconds.labels(job.name).observe((performance.now() - startedAt) / 1000)
    }
  }
  const round = job.singleton
    ? () => underLease(job, deps, stopping.signal, once)
    : () => once(stopping.signal)

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let pauseMs = job.everyMs
      try {
        const outcome = await round()
        if (outcome === true) pauseMs = 0
        else if (outcome === 'standing by') pauseMs = Math.max(job.everyMs, STANDBY_MS)
      } catch (error) {
        failures++
        state.error = error instanceof Error ? error.message : String(error)
        meters.errors.labels(job.name).inc()
        log.error({ job: job.name, failures, err: error }, 'job failed')
        pauseMs = pauseAfter(failures, job.everyMs)
        // A NOTIFY must not turn a failing job into a busy loop.
        alarm.clear()
      }
      if (!stopping.signal.aborted) await alarm.wait(pauseMs)
    }
  }
  const ended = loop()
  return {
    name: job.name,
    state,
    wake: () => alarm.ring(),
    stop: async () => {
      stopping.abort()
      alarm.ring()
      await ended
    },
  }
}

/** Doubles with each failure in a row. */
function pauseAfter(failures: number, everyMs: number): number {
  const first = Math.max(everyMs, MIN_PAUSE_AFTER_ERROR_MS)
  return Math.min(
    first * 2 ** Math.min(failures - 1, 10),
    Math.max(MAX_PAUSE_AFTER_ERROR_MS, everyMs),
  )
}

/** A pause that can be cut short. A ring before the pause begins is remembered. */
function createAlarm(): { ring(): void; clear(): void; wait(milliseconds: number): Promise<void> } {
  let rung = false
  let end: (() => void) | null = null
  return {
    ring: () => {
      rung = true
      end?.()
    },
    clear: () => {
      rung = false
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          end = null
          rung = false
          resolve()
        }
        // A turn of the event loop even for a pause of zero: a job that always has more to do must
        // not keep the process from answering.
        const timer = setTimeout(finish, rung ? 0 : milliseconds)
        end = finish
      }),
  }
}

/**
 * One round of a singleton: takes or extends the lease, and keeps extending it while the work runs. The
 * round of a process that stands by ends at once, with a pause that suits a lease and not the work.
 */
async function underLease(
  job: Job,
  { db, clock, log, processId }: JobDeps,
  stopping: AbortSignal,
  once: (signal: AbortSignal) => Promise<boolean>,
): Promise<boolean | 'standing by'> {
  const lease = { name: job.name, holder: processId }
  const take = (): Promise<boolean> => acquireLease(db, lease, untilFrom(clock))
  if (!(await take())) return 'standing by'
  const lost = new AbortController()
  let extendedAt = performance.now()
  const renewal = setInterval(() => {
    take().then(
      (held) => {
        if (held) extendedAt = performance.now()
        else lost.abort(new Error('the lease is held by another process'))
      },
      (error) => {
        log.warn({ job: job.name, err: error }, 'lease not extended')
        if (performance.now() - extendedAt > LEASE_MS) lost.abort(error)
      },
    )
  }, LEASE_MS / 3)
  try {
    return await once(AbortSignal.any([stopping, lost.signal]))
  } finally {
    clearInterval(renewal)
    if (stopping.aborted) await releaseLease(db, lease).catch(() => {})
  }
}

const untilFrom = (clock: Clock): { now: Date; until: Date } => {
  const now = clock.now()
  return { now, until: new Date(now.getTime() + LEASE_MS) }
}

interface Lease {
  readonly name: string
  /** The process that wants it. */
  readonly holder: string
}

/** Takes a lease that is free or has run out, or extends one's own; false while another holds it. */
export async function acquireLease(
  db: Queryable,
  { name, holder }: Lease,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const rows = await db.query(ACQUIRE_LEASE, [name, holder, until, now])
  return rows.length > 0
}

/** Gives a lease back, if it is still one's own. */
export async function releaseLease(db: Queryable, { name, holder }: Lease): Promise<void> {
  await db.query(RELEASE_LEASE, [name, holder])
}

const ACQUIRE_LEASE = sql(
  'platform_acquire_lease',
  `insert into infra.lease as held (name, holder, until) values ($1, $2, $3)
   on conflict (name) do update set holder = excluded.holder, until = excluded.until
     where held.holder = excluded.holder or held.until <= $4
   returning name`,
)
const RELEASE_LEASE = sql(
  'platform_release_lease',
  'delete from infra.lease where name = $1 and holder = $2',
)

/** A place in the line of a shared budget, or the advice to come back later. */
export type Slot =
  | { readonly kind: 'granted'; readonly waitMs: number }
  | { readonly kind: 'refused'; readonly retryAfterMs: number }

export type ReserveSlot = (
  name: string,
  spacingMs: number,
  options?: {
    readonly maxWaitMs?: number
    /** So many moments that nobody took may be made up for at once. */
    readonly burst?: number
  },
) => Promise<Slot>

/**
 * Gives away the moments at which calls of a named budget may leave, `spacingMs` apart over all
 * processes. The caller waits `waitMs` and calls. Nothing is given away further ahead than `maxWaitMs`
 * (5 s), so that a burst is refused early and does not pile up.
 */
export function createReserveSlot({ db, clock }: { db: Queryable; clock: Clock }): ReserveSlot {
  return async (name, spacingMs, { maxWaitMs = 5000, burst = 0 } = {}) => {
    const now = clock.now()
    const values = [name, spacingMs, now, maxWaitMs, burst]
    const [slot] = await db.query<{ at: Date }>(RESERVE_SLOT, values)
    if (!slot) return { kind: 'refused', retryAfterMs: Math.max(maxWaitMs, spacingMs) }
    return { kind: 'granted', waitMs: Math.max(0, slot.at.getTime() - now.getTime()) }
  }
}

const RESERVE_SLOT = sql(
  'platform_reserve_slot',
  `insert into infra.rate_slot as slot (name, next_at)
     values ($1, $3::timestamptz + (1 - $5::integer) * $2 * interval '1 millisecond')
   on conflict (name) do update
     set next_at = greatest(slot.next_at, $3::timestamptz - $5::integer * $2 * interval '1 millisecond')
       + $2 * interval '1 millisecond'
     where slot.next_at <= $3::timestamptz + $4 * interval '1 millisecond'
   returning next_at - $2 * interval '1 millisecond' as at`,
)

const BEAT_MS = 5000

/** Says in the database, for all jobs of this process at once, that they live. */
function startBeating(loops: readonly Loop[], deps: JobDeps): () => Promise<void> {
  const { db, clock, log, processId } = deps
  const beat = (): Promise<unknown> =>
    db
      .query(BEAT, [
        processId,
        clock.now(),
        loops.map(({ name }) => name),
        loops.map(({ state }) => state.startedAt),
        loops.map(({ state }) => state.succeededAt),
        loops.map(({ state }) => state.error?.slice(0, 500) ?? null),
      ])
      .catch((error) => log.warn({ err: error }, 'heartbeat not written'))
  let last = beat()
  const timer = setInterval(() => {
    last = beat()
  }, BEAT_MS)
  return async () => {
    clearInterval(timer)
    await last
    await db.query(STOP_BEATING, [processId]).catch(() => {})
  }
}

const BEAT = sql(
  'platform_beat',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at, succeeded_at, error)
     select job, $1, started_at, $2, succeeded_at, error
     from unnest($3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[])
       as loop (job, started_at, succeeded_at, error)
   on conflict (job, process_id) do update set beat_at = excluded.beat_at,
     succeeded_at = excluded.succeeded_at, error = excluded.error`,
)
const LIST_BEATS = sql(
  'platform_list_beats',
  `select process_id "processId", beat_at "beatAt", succeeded_at "succeededAt", error
   from infra.heartbeat where job = $1 order by process_id limit 1000`,
)

export interface Beat {
  readonly processId: string
  readonly beatAt: Date
  readonly succeededAt: Date | null
  readonly error: string | null
}

/** The processes that run a job, or ran it until they were killed a while ago. */
export const listBeats = (db: Queryable, job: string): Promise<Beat[]> =>
  db.query<Beat>(LIST_BEATS, [job])

/** One's own rows, and those of processes that were killed long ago. */
const STOP_BEATING = sql(
  'platform_stop_beating',
  `delete from infra.heartbeat
   where process_id = $1
      or beat_at < (select max(beat_at) from infra.heartbeat) - interval '1 hour'`,
)

interface Meters {
  readonly seconds: ReturnType<Metrics['histogram']>
  readonly success: ReturnType<Metrics['gauge']>
  readonly lag: ReturnType<Metrics['gauge']>
  readonly errors: ReturnType<Metrics['counter']>
}

const metersOf = (metrics: Metrics): Meters => ({
  seconds: metrics.histogram('job_seconds', 'Time of one run of a job', { labels: ['job'] }),
  success: metrics.gauge('job_last_success_seconds', 'Unix time of the last good run', ['job']),
  lag: metrics.gauge('job_lag_seconds', 'How late the oldest due piece of work is', ['job']),
  errors: metrics.counter('job_errors_total', 'Runs of a job that failed', ['job']),
})
