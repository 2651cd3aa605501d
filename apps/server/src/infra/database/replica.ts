// A replica for reads that promise no freshness, and how old what it shows may be. Its reads go through one
// door, `StaleReads`, which has no transaction: what writes takes a `Tx`, which only the primary gives.
import { setTimeout as sleep } from 'node:timers/promises'
import { startPollLoop } from '../jobs/poll-loop.ts'
import type { Clock } from '../process/clock.ts'
import { type Db, isBusy, isConnectionLoss, openDb, type ReadDb, sql, sqlState } from './db.ts'
import { BusyError } from './tenant-shares.ts'

declare const staleBrand: unique symbol
/** The replica, or the primary in its place. */
export interface StaleDb extends ReadDb {
  readonly [staleBrand]: true
  /** What was committed before is there; null: it is the primary, and all of it is. */
  readonly asOf: Date | null
}

/**
 * Runs `read` at the replica while it is as fresh as the setting says, else at the primary. What the replica
 * fails at is read again at the primary, so `read` has no effect outside the database. A read that a caller
 * may compare with what it has just done, or that something is decided by, does not belong here.
 */
export type StaleReads = <T>(read: (at: StaleDb) => Promise<T>) => Promise<T>

/** Without a replica it is the primary, with the same statements. */
export function createStaleReads(
  replica: Pick<Replica, 'find' | 'isAtFault' | 'count'> | null,
  primary: ReadDb,
): StaleReads {
  const fresh = staleDb(primary, null)
  if (replica === null) return (read) => read(fresh)
  return async (read) => {
    const at = replica.find()
    if (at !== null) {
      try {
        const found = await read(at)
        replica.count('replica')
        return found
      } catch (error) {
        if (!replica.isAtFault(error)) throw error
      }
    }
    replica.count('primary')
    return read(fresh)
  }
}

const staleDb = ({ query, snapshot }: ReadDb, asOf: Date | null): StaleDb =>
  ({ query, snapshot, asOf }) as StaleDb

export type ReplicaState =
  | 'ok'
  | 'behind'
  | 'unreachable'
  | 'same server'
  | 'takes writes'
  | 'other system'
  | 'other timeline'

export interface Replica {
  readonly db: Pick<Db, 'url' | 'stats'>
  /** Null: reads go to the primary for now. */
  find(): StaleDb | null
  /** Whether what a read of the replica threw is the replica's fault; then the primary may be asked. */
  isAtFault(error: unknown): boolean
  /** One read was answered by that side. */
  count(side: 'replica' | 'primary'): void
  state(): ReplicaState
  /** What it shows is not older than that; of one that was never seen whole, since it is watched. */
  lagMs(): number
  close(): Promise<void>
}

export interface ReplicaOptions {
  readonly url: string
  /** Asked at each look. */
  readonly primary: Pick<Db, 'query'>
  readonly clock: Clock
  /** Above it reads go to the primary. 0: all of them do. */
  readonly maxLagMs: number
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly onRead: (side: 'replica' | 'primary') => void
  /** A read that failed at the replica goes to the primary. */
  readonly onMoved: (error: unknown) => void
  /** At the start and at each change, `behind` apart. */
  readonly onState: (state: ReplicaState) => void
}

export const LOOK_TIMEOUT_MS = 2000
/** Four looks within the bound, so that a replica that follows is never taken for one that does not. */
const lookEveryMs = (maxLagMs: number): number => Math.min(500, Math.max(50, maxLagMs / 4))

/** Resolves when it has been looked at; one that cannot be used now may be later. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, primary, clock, maxLagMs } = options
  const pool = openDb({
    ...{ url, isReplica: true, applicationName: 'tradepost replica' },
    ...{ poolSize: options.poolSize, statementTimeoutMs: options.statementTimeoutMs },
  })
  // Of its own: reads that fill the pool would pass for a replica that does not follow.
  const watcher = openDb({
    ...{ url, isReplica: true, applicationName: 'tradepost replica watch', poolSize: 1 },
    statementTimeoutMs: LOOK_TIMEOUT_MS,
  })
  const positions = createPositions()
  const openedMs = performance.now()
  let confirmedMs: number | null = null
  let identity: Exclude<ReplicaState, 'behind'> | null = null

  const set = (found: Exclude<ReplicaState, 'behind'>): void => {
    if (found === identity) return
    identity = found
    options.onState(found)
  }
  const look = async (): Promise<void> => {
    const atMs = performance.now()
    const [ahead] = await primary.query<PrimaryRow>(LOOK_AT_PRIMARY)
    if (ahead === undefined) return
    positions.note({ atMs, position: ahead.position })
    let found: ReplicaRow | undefined
    try {
      ;[found] = await watcher.query<ReplicaRow>(LOOK_AT_REPLICA)
    } catch {
      return set('unreachable')
    }
    if (found === undefined) return
    const judged = judge(ahead, found)
    if (judged === 'ok') confirmedMs = positions.reached(found.position) ?? confirmedMs
    set(judged)
  }
  const lagMs = (): number => performance.now() - (confirmedMs ?? openedMs)
  const isFresh = (): boolean => confirmedMs !== null && maxLagMs > 0 && lagMs() <= maxLagMs

  const everyMs = lookEveryMs(maxLagMs)
  await look().catch(ignore)
  if (identity === 'ok' && confirmedMs === null) {
    // The log has gone on between the two answers; the next look finds it there.
    await sleep(everyMs)
    await look().catch(ignore)
  }
  const looks = startPollLoop({
    ...{ pollMs: everyMs, restMs: 0, firstMs: everyMs, run: look },
    // The primary is away: what the replica shows grows older, until its reads go to the primary too.
    onError: ignore,
  })
  return {
    db: pool,
    find: () =>
      identity === 'ok' && isFresh()
        ? staleDb(pool, new Date(clock.now().getTime() - lagMs()))
        : null,
    isAtFault: (error) => {
      if (!isReplicaFault(error)) return false
      if (isConnectionLoss(error)) set('unreachable')
      options.onMoved(error)
      return true
    },
    count: options.onRead,
    state: () => (identity === 'ok' && !isFresh() ? 'behind' : (identity ?? 'unreachable')),
    lagMs,
    close: async () => {
      await looks.stop()
      await Promise.all([pool.close(), watcher.close()])
    },
  }
}

const ignore = (): void => {}

/**
 * A write (25006), the limit of a statement and what data or our own functions refuse would be no better at
 * the primary. What is left is the replica's: a conflict with recovery (40001), a table that it does not have
 * yet, a server that stops.
 */
function isReplicaFault(error: unknown): boolean {
  if (error instanceof BusyError) return false
  const state = sqlState(error)
  if (state === undefined) return isConnectionLoss(error) || isBusy(error)
  return !NOT_BETTER_ELSEWHERE.test(state)
}

const NOT_BETTER_ELSEWHERE = /^(25006|57014|22|23|P)/

interface Position {
  readonly atMs: number
  readonly position: bigint
}

const MOST_POSITIONS = 256

/** Where the log of the primary stood at each look, until the replica has got there. */
function createPositions(): {
  note(seen: Position): void
  /** When the primary was last seen at or before this position; null: not since the first look. */
  reached(position: bigint): number | null
} {
  let seen: Position[] = []
  return {
    note: (position) => {
      seen.push(position)
      // Far behind, every second one will do: what is missing makes the replica look older, never newer.
      if (seen.length > MOST_POSITIONS) seen = seen.filter((_, i) => i % 2 === 0)
    },
    reached: (position) => {
      const last = seen.findLastIndex((each) => each.position <= position)
      if (last < 0) return null
      seen = seen.slice(last)
      return seen[0]?.atMs ?? null
    },
  }
}

interface ServerRow {
  readonly system: string
  readonly startedAt: Date
  readonly timeline: number
  readonly position: bigint
}
type PrimaryRow = ServerRow
interface ReplicaRow extends ServerRow {
  readonly isInRecovery: boolean
}

function judge(primary: PrimaryRow, replica: ReplicaRow): Exclude<ReplicaState, 'behind'> {
  if (replica.system !== primary.system) return 'other system'
  if (!replica.isInRecovery) {
    const isSame = replica.startedAt.getTime() === primary.startedAt.getTime()
    return isSame ? 'same server' : 'takes writes'
  }
  // Positions of two timelines cannot be compared: it may have what a failover has lost.
  return replica.timeline === primary.timeline ? 'ok' : 'other timeline'
}

const IDENTITY = `(select system_identifier::text from pg_control_system()) system,
  pg_postmaster_start_time() "startedAt"`
const LOOK_AT_PRIMARY = sql(
  'infra.look_at_primary',
  `select ${IDENTITY}, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer timeline,
     pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint "position"`,
)
const LOOK_AT_REPLICA = sql(
  'infra.look_at_replica',
  `select ${IDENTITY}, pg_is_in_recovery() "isInRecovery",
     coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint "position",
     greatest((select timeline_id from pg_control_checkpoint()),
       (select min_recovery_end_timeline from pg_control_recovery()),
       (select received_tli from pg_stat_wal_receiver)) timeline`,
)
