// Tables that are partitioned by the day (UTC), so that old rows go with their partition. There is no default
// partition, because PostgreSQL detaches none concurrently beside one. Instead the last partition has no end:
// any later row has a place, however long none was made.
import { assertDefined } from '#kernel/assert'
import { type Db, type Queryable, sql } from './db.ts'

export interface DailyTable {
  /** With its schema; its ids are in a column `id`, and each partition has a primary key on them. */
  readonly table: string
  /** The time by which it is partitioned. */
  readonly column: string
}

export interface Partition {
  /** With its schema. */
  readonly name: string
  /** Null: of all earlier times. */
  readonly from: Date | null
  /** Null: of all later times. */
  readonly to: Date | null
  /** Its removal has begun: no statement reads it any more. */
  readonly isLeaving: boolean
}

/** How many whole days are made ahead. */
export const DAYS_AHEAD = 7
/** A partition that has rows ends so many days off: see `proveBounds`. */
const END_AHEAD = 14

const DAY_MS = 24 * 3_600_000

/** All that waits for a partition to be made waits for this long at most. */
const LOCK_TIMEOUT_MS = 1500
/** To read a partition of hundreds of gigabytes once, under a lock that no reader or writer waits for. */
const VALIDATION_MS = 6 * 3_600_000

const LIST = sql(
  'infra.list_partitions',
  `select $1 || '.' || name name, case first when 'MINVALUE' then null else first::timestamptz end "from",
     case last when 'MAXVALUE' then null else last::timestamptz end "to", is_leaving "isLeaving"
   from (
     select c.relname name, i.inhdetachpending is_leaving,
       trim('''' from substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\((.*)\\) TO')) first,
       trim('''' from substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\((.*)\\)')) last
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ($1 || '.' || $2)::regclass) bound
   order by "from" nulls first`,
)

/** From the oldest on. */
export const listPartitions = (db: Queryable, { table }: DailyTable): Promise<Partition[]> =>
  db.query<Partition>(LIST, table.split('.'))

/** The partitions of whole days that have not begun. */
export const countAhead = (partitions: readonly Partition[], at: Date): number =>
  partitions.filter(({ from, to }) => from !== null && from > at && to !== null).length

/**
 * The earlier of two clocks, so that one that is ahead removes no day too soon. Throws when they are more
 * than a day apart: one is wrong, and nothing says which.
 */
export function agreedTime(clocks: { readonly own: Date; readonly database: Date }): Date {
  const { own, database } = clocks
  const apartMs = own.getTime() - database.getTime()
  if (Math.abs(apartMs) > DAY_MS) {
    const times = `${own.toISOString()} here and ${database.toISOString()} at the database`
    throw new Error(`clocks are more than a day apart: it is ${times}`)
  }
  return apartMs < 0 ? own : database
}

export async function readDatabaseTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(NOW)
  return assertDefined(row, 'the time of the database').now
}
const NOW = sql('infra.database_time', 'select clock_timestamp() now')

export interface KeepOptions {
  /** See `agreedTime`. */
  readonly at: Date
  readonly keptDays: number
  /** Cuts off the reading of a partition, and ends the run after what is under way. */
  readonly signal: AbortSignal
}

/**
 * Makes partitions ahead until there are `DAYS_AHEAD`, and removes those that hold nothing younger than
 * `keptDays`. What an interrupted run left is finished. One process at a time.
 */
export async function keepPartitions(
  db: Db,
  daily: DailyTable,
  { at, keptDays, signal }: KeepOptions,
): Promise<void> {
  for (;;) {
    if (signal.aborted) return
    const partitions = await listPartitions(db, daily)
    if (countAhead(partitions, at) >= DAYS_AHEAD) break
    await endLast(db, daily, { partitions, at, signal })
  }
  await removeBefore(db, daily, new Date(at.getTime() - keptDays * DAY_MS))
}

/** Gives the last partition an end, and makes the one after it. */
async function endLast(
  db: Db,
  { table, column }: DailyTable,
  run: Pick<KeepOptions, 'at' | 'signal'> & { readonly partitions: readonly Partition[] },
): Promise<void> {
  const { partitions, at, signal } = run
  const last = partitions.find(({ to }) => to === null)
  if (last === undefined) throw new Error(`${table} has no partition without an end`)
  const { name, from } = last
  const today = Math.floor(at.getTime() / DAY_MS) * DAY_MS
  const next = from === null ? today : Math.max(from.getTime() + DAY_MS, today)
  const text = `select from ${name} limit 1`
  const isEmpty = (await db.query(sql(`infra.any_row ${name}`, text))).length === 0
  const end = new Date(isEmpty ? next : Math.max(next, today + END_AHEAD * DAY_MS))
  if (!isEmpty) await proveBounds(db, { name, column, from, end }, signal)
  const [start, stop] = [bound(from, 'minvalue'), bound(end, 'maxvalue')]
  const following = `${table}_${end.toISOString().slice(0, 10).replaceAll('-', '')}`
  await atOnce(
    db,
    `alter table ${table} detach partition ${name};
     alter table ${table} attach partition ${name} for values from (${start}) to (${stop});
     create table ${following} partition of ${table} (primary key (id)) for values from (${stop}) to (maxvalue);
     alter table ${name} drop constraint if exists ${ENDS};`,
  )
}

const ENDS = 'partition_ends'

/**
 * A check of both bounds that is valid already spares the reading of all rows under the lock of the swap.
 * Until that, rows from `end` on are refused. The swap follows at once; but a run that was killed may be
 * followed by none, where the release before knows no such job: `END_AHEAD` is for as long as that may last.
 */
async function proveBounds(
  db: Db,
  last: Pick<Partition, 'name' | 'from'> & { readonly column: string; readonly end: Date },
  signal: AbortSignal,
): Promise<void> {
  const { name, column, from, end } = last
  const later = `select from ${name} where ${column} >= $1 limit 1`
  if ((await db.query(sql(`infra.later_row ${name}`, later), [end])).length > 0) {
    throw new Error(`${name} has rows of ${end.toISOString()} or later: a clock was wrong`)
  }
  const drop = `alter table ${name} drop constraint if exists ${ENDS};`
  const since = from === null ? '' : `${column} >= ${bound(from, 'minvalue')} and `
  const check = `${since}${column} < ${bound(end, 'maxvalue')}`
  await atOnce(db, `${drop} alter table ${name} add constraint ${ENDS} check (${check}) not valid;`)
  try {
    await validate(db, { name, signal })
  } catch (error) {
    await atOnce(db, drop)
    throw error
  }
}

/** Reads all of the partition. */
async function validate(
  db: Db,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<void> {
  await db.transaction(
    async (tx) => {
      const [session] = await tx.query<{ pid: number }>(PID)
      const cancel = (): void => void db.query(CANCEL, [session?.pid, name]).catch(() => {})
      signal.addEventListener('abort', cancel)
      try {
        signal.throwIfAborted()
        await tx.query(
          sql(`infra.validate ${name}`, `alter table ${name} validate constraint ${ENDS}`),
        )
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    { statementTimeoutMs: VALIDATION_MS },
  )
}

const PID = sql('infra.backend_pid', 'select pg_backend_pid() pid')
const CANCEL = sql(
  'infra.cancel_validation',
  `select pg_cancel_backend(pid) from pg_stat_activity
   where pid = $1 and state = 'active' and starts_with(query, 'alter table ' || $2 || ' validate constraint')`,
)

/** Marks a table to be dropped once it is no partition any more; one that a person detached is kept. */
const REMOVED = 'removed by keep-partitions'

/** Detached concurrently, so that nothing waits; it waits itself for transactions that may read it. */
async function removeBefore(db: Db, daily: DailyTable, before: Date): Promise<void> {
  const { table } = daily
  const partitions = await listPartitions(db, daily)
  for (const { name } of partitions.filter(({ isLeaving }) => isLeaving)) {
    await db.script(`alter table ${table} detach partition ${name} finalize`)
  }
  for (const { name, to, isLeaving } of partitions) {
    if (isLeaving || to === null || to > before) continue
    await db.script(`comment on table ${name} is '${REMOVED}'`)
    await db.script(`alter table ${table} detach partition ${name} concurrently`)
  }
  const [schema] = table.split('.')
  for (const { name } of await db.query<{ name: string }>(LIST_REMOVED, [schema, REMOVED])) {
    await db.script(`drop table if exists ${name}`)
  }
}

const LIST_REMOVED = sql(
  'infra.list_removed_partitions',
  `select format('%I.%I', n.nspname, c.relname) name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relkind = 'r' and not c.relispartition and obj_description(c.oid, 'pg_class') = $2
   order by 1`,
)

const bound = (time: Date | null, otherwise: string): string =>
  time === null ? otherwise : `timestamptz '${time.toISOString()}'`

/** One transaction that gives up where it has to wait. */
const atOnce = (db: Db, statements: string): Promise<void> =>
  db.script(
    `do $$ begin perform set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true); ${statements} end $$`,
  )
