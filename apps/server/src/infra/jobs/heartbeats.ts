// Heartbeats of jobs: one row for each job and process, from which readiness and the operator's pages see
// which jobs run and whether they succeed, and `migrate` which processes live.
import { cut } from '#kernel/text'
import { type Db, type Queryable, sql } from '../database/db.ts'
import type { Clock } from '../process/clock.ts'
import type { Log } from '../process/log.ts'
import { startPollLoop } from './poll-loop.ts'

/** What a heartbeat reports; its job updates it after each run. */
export interface Heart {
  readonly job: string
  readonly startedAt: Date
  succeededAt: Date | null
  error: string | null
}

export interface HeartbeatDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly processId: string
}

const BEAT_MS = 5000
/**
 * Each beat writes a quarter of the rows in turn, and those that say something new: that a process lives is
 * in the newest of its rows. All of them each time were most of what an idle service wrote to the log.
 */
const BEATS_A_ROUND = 4
/** A job whose row is so much older than the newest of its process runs there no longer. */
export const ROUND_SECONDS = (2 * BEATS_A_ROUND * BEAT_MS) / 1000
const MAX_ERROR_CHARACTERS = 500

/** Of a process that answers requests and runs no job. */
export const API_HEART = 'api'

/** Writes the heartbeats of all jobs of this process, until it is stopped. */
export function startHeartbeats(
  hearts: readonly Heart[],
  { db, clock, log, processId }: HeartbeatDeps,
): { stop(): Promise<void> } {
  const written = new Map<Heart, Heart>()
  const inTurn = Math.max(1, Math.ceil(hearts.length / BEATS_A_ROUND))
  let turn = 0
  let writtenMs = 0
  const loop = startPollLoop({
    pollMs: BEAT_MS,
    restMs: 0,
    isForeground: true,
    run: async () => {
      const at = clock.now()
      // After a gap rows that wait for their turn would look left out.
      if (at.getTime() - writtenMs > 2 * BEAT_MS) written.clear()
      const isTurn = (index: number): boolean => Math.floor(index / inTurn) === turn
      const due = hearts.filter((heart, i) => isTurn(i) || hasChanged(heart, written.get(heart)))
      const now = due.map((heart) => ({ ...heart }))
      turn = (turn + 1) * inTurn < hearts.length ? turn + 1 : 0
      await db.query(BEAT, [
        processId,
        at,
        due.map(({ job }) => job),
        due.map(({ startedAt }) => startedAt),
        due.map(({ succeededAt }) => succeededAt),
        due.map(({ error }) => (error === null ? null : cut(error, MAX_ERROR_CHARACTERS))),
      ])
      for (const [i, heart] of due.entries()) written.set(heart, now[i] ?? heart)
      writtenMs = at.getTime()
    },
    onError: (error) => log.warn({ err: error }, 'heartbeat not written'),
  })
  return {
    stop: async () => {
      await loop.stop()
      await db.query(STOP_BEATING, [processId]).catch(() => {})
    },
  }
}

/**
 * Later runs that are as good as the one before wait for their turn; but not those of a job whose runs take
 * longer than a round, or its last success would look older by a round than it is.
 */
const hasChanged = ({ succeededAt, error }: Heart, before: Heart | undefined): boolean =>
  before === undefined ||
  error !== before.error ||
  (succeededAt?.getTime() ?? 0) - (before.succeededAt?.getTime() ?? 0) > BEATS_A_ROUND * BEAT_MS

/**
 * No one else writes these rows. To insert over a row locks it first, which is half of what the log then has.
 */
const BEAT = sql(
  'infra_beat',
  `with loop as (
     select * from unnest($3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[])
       as loop (job, started_at, succeeded_at, error)),
   known as (
     update infra.heartbeat h set beat_at = $2, succeeded_at = loop.succeeded_at, error = loop.error
     from loop where h.job = loop.job and h.process_id = $1 returning h.job)
   insert into infra.heartbeat (job, process_id, started_at, beat_at, succeeded_at, error)
     select job, $1, started_at, $2, succeeded_at, error from loop
     where job not in (select job from known)`,
)

/** The rows of this process, and those of processes that were killed long ago. */
const STOP_BEATING = sql(
  'infra_stop_beating',
  `delete from infra.heartbeat
   where process_id = $1
      or beat_at < (select max(beat_at) from infra.heartbeat) - interval '1 hour'`,
)

export interface Heartbeat {
  readonly processId: string
  readonly beatAt: Date
  readonly succeededAt: Date | null
  readonly error: string | null
}

/** Sets of jobs of one process beat under its id and a name, a space between them. */
export const processOf = ({ processId }: Pick<Heartbeat, 'processId'>): string =>
  processId.split(' ', 1)[0] ?? processId

/** The processes that run a job, or ran it until they were killed a while ago. */
export const listHeartbeats = (db: Queryable, job: string): Promise<Heartbeat[]> =>
  db.query<Heartbeat>(LIST_HEARTBEATS, [job])

const LIST_HEARTBEATS = sql(
  'infra_list_heartbeats',
  `select process_id "processId", beat_at "beatAt", succeeded_at "succeededAt", error
   from infra.heartbeat where job = $1 order by process_id limit 1000`,
)

export interface JobBeat extends Heartbeat {
  readonly job: string
  /** Of its process. */
  readonly startedAt: Date
}

/** Of all jobs, the jobs in the order of their names. */
export const listAllHeartbeats = (db: Queryable): Promise<JobBeat[]> =>
  db.query<JobBeat>(LIST_ALL_HEARTBEATS)

const LIST_ALL_HEARTBEATS = sql(
  'infra_list_all_heartbeats',
  `select job, process_id "processId", started_at "startedAt", beat_at "beatAt", succeeded_at "succeededAt", error
   from infra.heartbeat order by job, process_id limit 5000`,
)
