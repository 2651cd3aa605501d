// Processes that send what a failover may lose. Each says in the database in which history it last found all
// that it had sent. The write-ahead log is sequential: a history in which a row is gone has everything that
// was committed before it went.
import type { Clock } from '../process/clock.ts'
import { type Db, type Queryable, sql } from './db.ts'
import { startElapsed } from './leases.ts'
import { HISTORY } from './recovery-mark.ts'

/** Its row is removed a minute after its last beat, and nothing may leave half a minute before that. */
const KNOWN_MS = 30_000
const BEAT_MS = 5000

export interface Sender {
  /** The history in which it last found everything that it had sent. */
  confirmed(): string
  /** Commits that it found everything in this history. */
  confirm(history: string): Promise<void>
  /** Every five seconds at most. */
  beat(): Promise<void>
  /** Whether others wait for its word after a failover. */
  isKnown(): boolean
  /** Monotonic, of the last beat in the confirmed history: what was committed since may be lost. */
  beatAtMs(): number
  /** It has sent its last. */
  stop(): Promise<void>
}

export interface SenderOptions {
  readonly db: Db
  readonly clock: Clock
  readonly processId: string
  /** What it may send for. */
  readonly gates: readonly string[]
  /** As it began: it has sent nothing yet. */
  readonly history: string
  readonly monotonicMs?: () => number
}

/** Resolves when its row is there. */
export async function openSender(options: SenderOptions): Promise<Sender> {
  const { db, clock, processId, gates, monotonicMs = () => performance.now() } = options
  let confirmed = options.history
  let beatAtMs = Number.NEGATIVE_INFINITY
  let sinceBeatMs = (): number => Number.POSITIVE_INFINITY
  const write = async (history: string): Promise<void> => {
    const atMs = monotonicMs()
    const elapsedMs = startElapsed(clock, monotonicMs)
    const values = [processId, gates, history]
    const [row] = await db.query<{ isCurrent: boolean }>(BEAT, values)
    confirmed = history
    sinceBeatMs = elapsedMs
    // In a history that it has not confirmed, what may be lost is all that it sent since the last one.
    if (row?.isCurrent) beatAtMs = atMs
  }
  await write(confirmed)
  return {
    confirmed: () => confirmed,
    confirm: write,
    beat: async () => {
      if (sinceBeatMs() >= BEAT_MS) await write(confirmed)
    },
    isKnown: () => sinceBeatMs() < KNOWN_MS,
    beatAtMs: () => beatAtMs,
    stop: async () => {
      sinceBeatMs = () => Number.POSITIVE_INFINITY
      await db.query(STOP, [processId]).catch(() => {})
    },
  }
}

const BEAT = sql(
  'infra.sender_beat',
  `with gone as (
     delete from infra.sender where history = $3 and history = (${HISTORY})
       and process_id <> $1 and beat_at < clock_timestamp() - interval '1 minute')
   insert into infra.sender (process_id, gates, history, started_at, beat_at)
     values ($1, $2, $3, clock_timestamp(), clock_timestamp())
   on conflict (process_id) do update set history = excluded.history, beat_at = excluded.beat_at
   returning $3 = (${HISTORY}) "isCurrent"`,
)
const STOP = sql('infra.sender_stop', 'delete from infra.sender where process_id = $1')

export interface SilentSender {
  readonly processId: string
  /** Null: of an earlier release, which notes nothing. Of one that was killed the row stays for an hour. */
  readonly gates: readonly string[] | null
}

/** Those that lived before this history began, and have not said yet that they found everything in it. */
export const listSilentSenders = (db: Queryable, history: string): Promise<SilentSender[]> =>
  db.query<SilentSender>(LIST_SILENT, [history])

const LIST_SILENT = sql(
  'infra.list_silent_senders',
  `select process_id "processId", gates from infra.sender where history <> $1
   union all
   select process_id, null from infra.heartbeat
   where job = 'keep-recovery-mark' and beat_at > (select max(beat_at) - interval '1 hour' from infra.heartbeat)
   limit 1000`,
)

/** False: what the database has lost since its last history is not known yet. */
export async function isHistoryConfirmed(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>(IS_CONFIRMED)
  return row?.is ?? true
}

const IS_CONFIRMED = sql('infra.is_history_confirmed', 'select infra.is_history_confirmed() "is"')

/**
 * Once every gate has been decided for a history, nothing is asked of those that lived before it. Answers the
 * history that the database is on, and forgets no one while that is another; null: none has been decided yet.
 */
export async function forgetSenders(db: Queryable, decided: string | null): Promise<string> {
  const [row] = await db.query<{ history: string }>(FORGET, [decided])
  return row?.history ?? ''
}

const FORGET = sql(
  'infra.forget_senders',
  `with now as materialized (${HISTORY}), forgotten as (
     delete from infra.sender where history <> $1 and $1 = (select history from now))
   select history from now`,
)
