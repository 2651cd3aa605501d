// The right to do something until a moment that comes soon: named leases in the database, and how much of
// a lease is left, by clocks that also notice that the process was suspended.
import { assertDefined } from '#kernel/assert'
import type { Clock } from '../process/clock.ts'
import { type Queryable, sql } from './db.ts'
import { createSingleFlight } from './single-flight.ts'
import { withoutTenant } from './tenant-context.ts'

export interface NamedLease {
  readonly name: string
  /** The process that holds it, or asks for it. */
  readonly holder: string
}

/** Acquires a free or expired lease, or extends the holder’s own; false while another holds it. */
export async function acquireLease(
  db: Queryable,
  lease: NamedLease,
  times: LeaseTimes,
): Promise<boolean> {
  return (await acquireLeases(db, [lease], times)).has(lease.name)
}

export interface LeaseTimes {
  readonly now: Date
  readonly until: Date
}

/** Several in one commit, each by itself: the names of those that are their holders’ now. */
export async function acquireLeases(
  db: Queryable,
  leases: readonly NamedLease[],
  { now, until }: LeaseTimes,
): Promise<ReadonlySet<string>> {
  const names = leases.map(({ name }) => name)
  const holders = leases.map(({ holder }) => holder)
  const rows = await db.query<{ name: string }>(ACQUIRE_LEASES, [names, holders, until, now])
  return new Set(rows.map(({ name }) => name))
}

/** Releases a lease if the holder still has it. */
export async function releaseLease(db: Queryable, { name, holder }: NamedLease): Promise<void> {
  await db.query(RELEASE_LEASE, [name, holder])
}

/**
 * What a process holds it extends in place: an insert that meets the row would lock it first, which is as
 * much to the log as the extension. What another is seen to hold is not touched, so a process on standby
 * writes nothing. The rest is acquired by name, so that two processes that ask for the same ones wait for
 * each other in one order.
 */
const ACQUIRE_LEASES = sql(
  'infra_acquire_leases',
  `with asked as (select * from unnest($1::text[], $2::text[]) asked (name, holder)),
   extended as (
     update infra.lease l set until = $3 from asked a
     where l.name = a.name and l.holder = a.holder and l.until > $4 returning l.name),
   acquired as (
     insert into infra.lease as held (name, holder, until)
       select a.name, a.holder, $3 from asked a
       where a.name not in (select name from extended)
         and not exists (select from infra.lease l where l.name = a.name and l.holder <> a.holder and l.until > $4)
       order by a.name
     on conflict (name) do update set holder = excluded.holder, until = excluded.until
       where held.holder = excluded.holder or held.until <= $4
     returning name)
   select name from extended union all select name from acquired`,
)
const RELEASE_LEASE = sql(
  'infra_release_lease',
  'delete from infra.lease where name = $1 and holder = $2',
)

/** How much is left of a lease, whether it is a named one or the due time of a claimed row. */
export interface LeaseTime {
  /**
   * Milliseconds that are certainly left by the clocks of this process; 0 when it has expired. Ask in the
   * same turn of the event loop in which the bytes leave.
   */
  remainingMs(): number
  /**
   * The same, compared with the database's time as well: after a machine was suspended, all of its own
   * clocks may be behind. Costs one round trip; ask after every wait, before a call that must not be late.
   */
  confirmRemainingMs(): Promise<number>
}

/**
 * Begins to measure a lease. Call it before the statement that acquires the lease, and take the `now` of
 * that statement afterwards: then the lease that others see ends no earlier than this one.
 */
export type BeginLease = (durationMs: number) => Promise<LeaseTime>

export interface LeaseClocks {
  readonly db: Queryable
  /** The wall clock: goes on while the machine sleeps, but may be set. */
  readonly clock: Clock
  /** Goes on while the process is stopped (SIGSTOP), but may stand still while the machine sleeps. */
  readonly monotonicMs?: () => number
}

/** Milliseconds from now on, by the clock of this process that goes further. */
export function startElapsed(clock: Clock, monotonicMs: () => number): () => number {
  const from = { monotonicMs: monotonicMs(), wallMs: clock.now().getTime() }
  return () => Math.max(monotonicMs() - from.monotonicMs, clock.now().getTime() - from.wallMs, 0)
}

/**
 * No clock is right alone, so the largest elapsed time of three counts: monotonic, wall and the database's.
 * A lease never gets longer than it was.
 */
export function createBeginLease({
  db,
  clock,
  monotonicMs = () => performance.now(),
}: LeaseClocks): BeginLease {
  let last: { readonly ms: number; readonly readAtMs: number } | null = null
  // One statement at a time: who asks while it runs gets the next one's answer, which is no older than his
  // question.
  const shared = createSingleFlight<number>()
  const readDatabaseMs = async (): Promise<number> => {
    const readAtMs = monotonicMs()
    const [row] = await db.query<{ ms: number }>(DATABASE_TIME)
    const { ms } = assertDefined(row, 'time of the database')
    last = { ms, readAtMs }
    return ms
  }
  const databaseMs = (): Promise<number> => withoutTenant(() => shared('', readDatabaseMs))
  // A time that was read a moment ago makes the lease shorter by that moment, and spares a statement.
  const beganAt = (): number | Promise<number> =>
    last !== null && monotonicMs() - last.readAtMs < FRESH_MS ? last.ms : databaseMs()
  return async (durationMs) => {
    let beforeMs = 0
    let sinceMs = startElapsed(clock, monotonicMs)
    const elapsedMs = (): number => beforeMs + sinceMs()
    const remainingMs = (): number => Math.max(0, durationMs - elapsedMs())
    const beganAtMs = await beganAt()
    return {
      remainingMs,
      confirmRemainingMs: async () => {
        const byDatabaseMs = (await databaseMs()) - beganAtMs
        beforeMs = Math.max(elapsedMs(), byDatabaseMs)
        sinceMs = startElapsed(clock, monotonicMs)
        return remainingMs()
      },
    }
  }
}

/** Far less than any lease lasts. */
const FRESH_MS = 200

const DATABASE_TIME = sql(
  'infra_database_time',
  `select (extract(epoch from clock_timestamp()) * 1000)::double precision ms`,
)

export interface HeldLease {
  readonly name: string
  readonly holder: string
  readonly until: Date
}

/** Those that are held at this moment. */
export const listLeases = (db: Queryable): Promise<HeldLease[]> => db.query<HeldLease>(LIST_LEASES)

const LIST_LEASES = sql(
  'infra_list_leases',
  'select name, holder, until from infra.lease where until > now() order by name limit 1000',
)
