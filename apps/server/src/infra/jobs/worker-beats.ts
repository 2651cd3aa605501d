// Which workers live, as a process that answers requests sees it.
import { type Db, sql } from '../database/db.ts'
import type { Clock } from '../process/clock.ts'
import { createMemo } from '../process/memo.ts'
import type { Metrics } from '../process/metrics.ts'
import { API_HEART, ROUND_SECONDS } from './heartbeats.ts'

export interface WorkerBeats {
  /** Of these jobs, those that no process has run lately; of none, whether any worker has run one. */
  listSilent(jobs: readonly string[]): Promise<readonly string[]>
  /** No worker has beaten for so long that what is accepted now is carried out by none. */
  areSilent(): Promise<boolean>
}

export interface WorkerBeatsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  /** After so long without a beat workers are silent. */
  readonly silenceMs: number
}

/** A job that missed six beats. */
const MISSED_MS = 30_000
const REMEMBERED_MS = 1000

export function createWorkerBeats({ db, clock, metrics, silenceMs }: WorkerBeatsDeps): WorkerBeats {
  const startedMs = clock.now().getTime()
  // Kept here, because a worker that stops takes its rows along.
  let seenMs: number | null = null
  const last = metrics.gauge(
    'worker_last_beat_seconds',
    'Unix time of the last heartbeat of any worker, or of the start of the process before the first one',
  )
  last.set(startedMs / 1000)
  const readBeats = createMemo(
    async () => {
      const beats = await db.query<{ job: string; beatAt: Date }>(LAST_BEATS, [API_HEART])
      for (const { beatAt } of beats) seenMs = Math.max(seenMs ?? 0, beatAt.getTime())
      last.set((seenMs ?? startedMs) / 1000)
      return beats
    },
    { clock, freshMs: REMEMBERED_MS },
  )
  return {
    listSilent: async (jobs) => {
      const sinceMs = clock.now().getTime() - Math.min(MISSED_MS, silenceMs)
      const living = new Set(
        (await readBeats()).flatMap(({ job, beatAt }) => (beatAt.getTime() < sinceMs ? [] : [job])),
      )
      if (jobs.length === 0) return living.size > 0 ? [] : ['every worker']
      return jobs.filter((job) => !living.has(job))
    },
    areSilent: async () => {
      await readBeats()
      return clock.now().getTime() - (seenMs ?? startedMs) >= silenceMs
    },
  }
}

/** Of each job the newest beat of a process that runs it. */
const LAST_BEATS = sql(
  'infra_last_beats',
  `select job, max(newest) "beatAt" from (
     select job, beat_at, max(beat_at) over (partition by process_id) newest
     from infra.heartbeat where job <> $1) beat
   where beat_at > newest - interval '${ROUND_SECONDS} seconds' group by job limit 1000`,
)
