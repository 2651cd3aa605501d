// Tables that are partitioned by the day or month (UTC), so that old rows go with their partition. There is
// no default partition, because PostgreSQL detaches none concurrently beside one. Instead the last partition
// has no end: any later row has a place, however long none was made.
import { assertDefined, unreachable } from '#kernel/assert'
import { firstUuidOf } from '#kernel/id'
import { type Db, type Queryable, type Statement, sql } from './db.ts'

export interface PartitionedTable {
  /** With its schema; its ids are in a column `id`, and each partition has a primary key on them. */
  readonly table: string
  /**
   * By which it is partitioned: a time, a UUID of version 7, which begins with its time, or a number that
   * begins with its month (`firstNumberOf`) and is given only once the month has its partition.
   */
  readonly column: string
  readonly type: KeyType
  readonly span: keyof typeof SPANS
  /** Of new partitions. */
  readonly fillfactor?: number
  /** A partition is not removed while one of these finds a row. */
  readonly keptWhile?: (partition: OldPartition) => readonly Question[]
}

type Question = readonly [statement: Statement, ...values: unknown[]]

type KeyType = 'timestamptz' | 'uuid' | 'bigint'

export interface OldPartition {
  readonly name: string
  /** Its keys are lower. */
  readonly end: string
  /** What is older is not kept. */
  readonly before: Date
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

const DAY_MS = 24 * 3_600_000

/**
 * `ahead`: how many whole ones are made ahead. `endAheadDays`: a partition that has rows ends that far off,
 * or up to one span sooner: see `prove`.
 */
export const SPANS = {
  day: {
    ahead: 7,
    endAheadDays: 14,
    startOf: (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS),
    after: (start: Date): Date => new Date(start.getTime() + DAY_MS),
    suffix: (start: Date): string => start.toISOString().slice(0, 10).replaceAll('-', ''),
  },
  month: {
    ahead: 3,
    endAheadDays: 62,
    startOf: (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())),
    after: (start: Date): Date =>
      new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)),
    suffix: (start: Date): string => start.toISOString().slice(0, 7).replaceAll('-', ''),
  },
} as const

/** A month has ten billion numbers: the last of November 2026 is 202611_9999999999. */
const NUMBERS_OF_MONTH = 10_000_000_000

/** The lowest number of a month. */
export const firstNumberOf = (month: Date): bigint =>
  BigInt(SPANS.month.suffix(month)) * BigInt(NUMBERS_OF_MONTH)

/** All that waits for a partition to be made waits for this long at most. */
const LOCK_TIMEOUT_MS = 1500
/** To read a partition of hundreds of gigabytes once, under a lock that no reader or writer waits for. */
const VALIDATION_MS = 6 * 3_600_000

/** The time that the text of a bound stands for, by the type of the key. */
const timeOf = (text: string, type: string): string =>
  `case ${type} when 'uuid' then uuid_extract_timestamp(${text}::uuid)
     when 'bigint' then make_timestamptz((${text}::bigint / ${NUMBERS_OF_MONTH} / 100)::integer,
       (${text}::bigint / ${NUMBERS_OF_MONTH} % 100)::integer, 1, 0, 0, 0, 'UTC')
     else ${text}::timestamptz end`

const LIST = sql(
  'infra.list_partitions',
  `select $1 || '.' || name name, is_leaving "isLeaving",
     case when first = 'MINVALUE' then null else ${timeOf('first', '$3')} end "from",
     case when last = 'MAXVALUE' then null else ${timeOf('last', '$3')} end "to"
   from (
     select c.relname name, i.inhdetachpending is_leaving,
       trim('''' from substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\((.*)\\) TO')) first,
       trim('''' from substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\((.*)\\)')) last
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ($1 || '.' || $2)::regclass) bound
   order by "from" nulls first`,
)

/** From the oldest on. */
export const listPartitions = (
  db: Queryable,
  { table, type }: Pick<PartitionedTable, 'table' | 'type'>,
): Promise<Partition[]> => db.query<Partition>(LIST, [...table.split('.'), type])

/** The partitions of whole days or months that have not begun. */
export const countAhead = (partitions: readonly Partition[], at: Date): number =>
  partitions.filter(({ from, to }) => from !== null && from > at && to !== null).length

/** Those whose rows are all older than what is kept, and that are there all the same. */
export const countOverdue = (
  partitions: readonly Partition[],
  { at, keptDays }: Pick<KeepOptions, 'at' | 'keptDays'>,
): number => partitions.filter(({ to }) => to !== null && to <= keptSince(at, keptDays)).length

const keptSince = (at: Date, keptDays: number): Date => new Date(at.getTime() - keptDays * DAY_MS)

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
 * Makes partitions ahead until there are as many as its span asks for, and removes those that hold nothing
 * younger than `keptDays`. What an interrupted run left is finished. One process at a time. Answers the
 * partitions as they were before any was removed.
 */
export async function keepPartitions(
  db: Db,
  parted: PartitionedTable,
  { at, keptDays, signal }: KeepOptions,
): Promise<readonly Partition[]> {
  for (;;) {
    const partitions = await listPartitions(db, parted)
    if (signal.aborted) return partitions
    if (countAhead(partitions, at) >= SPANS[parted.span].ahead) {
      await removeBefore(db, parted, { partitions, before: keptSince(at, keptDays) })
      return partitions
    }
    await endLast(db, parted, { partitions, at, signal })
  }
}

/** Gives the last partition an end, and makes the one after it. */
async function endLast(
  db: Db,
  parted: PartitionedTable,
  run: Pick<KeepOptions, 'at' | 'signal'> & { readonly partitions: readonly Partition[] },
): Promise<void> {
  const { partitions, at, signal } = run
  const { table, type, span, fillfactor = 100 } = parted
  const { startOf, after, suffix, endAheadDays } = SPANS[span]
  const last = partitions.find(({ to }) => to === null)
  if (last === undefined) throw new Error(`${table} has no partition without an end`)
  const { name, from } = last
  const next = later(startOf(at), from === null ? startOf(at) : after(from))
  const text = `select from ${name} limit 1`
  const isEmpty = (await db.query(sql(`infra.any_row ${name}`, text))).length === 0
  const farOff = startOf(new Date(at.getTime() + endAheadDays * DAY_MS))
  // Numbers of a month are given once it has a partition, so none is beyond the end, however long this takes.
  const far = { name, from, end: type === 'bigint' ? next : later(next, farOff), at, signal }
  const end = isEmpty
    ? next
    : ((await readProven(db, parted, far)) ?? (await prove(db, parted, far)))
  const [start, stop] = [bound(parted, from, 'minvalue'), bound(parted, end, 'maxvalue')]
  const following = `${table}_${suffix(end)}`
  await atOnce(
    db,
    `alter table ${table} detach partition ${name};
     alter table ${table} attach partition ${name} for values from (${start}) to (${stop});
     create table ${following} partition of ${table} (primary key (id)) for values from (${stop}) to (maxvalue)
       with (fillfactor = ${fillfactor});
     alter table ${name} drop constraint if exists ${ENDS};`,
  )
}

const later = (one: Date, other: Date): Date => (one > other ? one : other)

const ENDS = 'partition_ends'

interface FarEnd extends Pick<Partition, 'name' | 'from'>, Pick<KeepOptions, 'at' | 'signal'> {
  readonly end: Date
}

/**
 * The end that a run has proven whose swap failed: to read all rows again may take hours. Null where there is
 * none, or where it is less than half as far off as a new one may be: see `prove`.
 */
async function readProven(
  db: Db,
  { type, span }: PartitionedTable,
  { name, at }: FarEnd,
): Promise<Date | null> {
  const [proven] = await db.query<{ end: Date }>(PROVEN, [name, ENDS, type])
  const soonestMs = at.getTime() + (SPANS[span].endAheadDays / 2) * DAY_MS
  if (proven === undefined) return null
  return type === 'bigint' || proven.end.getTime() >= soonestMs ? proven.end : null
}

const PROVEN = sql(
  'infra.proven_end',
  `select ${timeOf('stop', '$3')} "end"
   from (
     select substring(pg_get_constraintdef(oid) from '< ''([^'']+)''') stop
     from pg_constraint where conrelid = $1::regclass and conname = $2 and convalidated) proven`,
)

/**
 * A check of both bounds that is valid already spares the reading of all rows under the lock of the swap.
 * Until that, rows from `end` on are refused. The swap follows at once; but a run that was killed may be
 * followed by none, where the release before knows no such job: the end is as far off as that may last.
 */
async function prove(
  db: Db,
  parted: PartitionedTable,
  { name, from, end, signal }: FarEnd,
): Promise<Date> {
  const { column, type } = parted
  const stop = bound(parted, end, 'maxvalue')
  const beyond = `select from ${name} where ${column} >= $1::${type} limit 1`
  // Numbers beyond it were never given, and no index is on them alone.
  const hasLater =
    type !== 'bigint' &&
    (await db.query(sql(`infra.later_row ${name}`, beyond), [keyOf(type, end)])).length > 0
  if (hasLater) {
    throw new Error(`${name} has rows of ${end.toISOString()} or later: a clock was wrong`)
  }
  const drop = `alter table ${name} drop constraint if exists ${ENDS};`
  const since = from === null ? '' : `${column} >= ${bound(parted, from, 'minvalue')} and `
  const check = `${since}${column} < ${stop}`
  await atOnce(db, `${drop} alter table ${name} add constraint ${ENDS} check (${check}) not valid;`)
  try {
    await validate(db, { name, signal })
  } catch (error) {
    await atOnce(db, drop)
    throw error
  }
  return end
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
async function removeBefore(
  db: Db,
  { table, type, keptWhile = () => [] }: PartitionedTable,
  { partitions, before }: { readonly partitions: readonly Partition[]; readonly before: Date },
): Promise<void> {
  for (const { name } of partitions.filter(({ isLeaving }) => isLeaving)) {
    await db.script(`alter table ${table} detach partition ${name} finalize`)
  }
  for (const { name, to, isLeaving } of partitions) {
    if (isLeaving || to === null || to > before) continue
    if (await findsAny(db, keptWhile({ name, end: keyOf(type, to), before }))) continue
    await db.script(`comment on table ${name} is '${REMOVED}'`)
    await db.script(`alter table ${table} detach partition ${name} concurrently`)
  }
  const [schema] = table.split('.')
  for (const { name } of await db.query<{ name: string }>(LIST_REMOVED, [schema, REMOVED])) {
    await db.script(`drop table if exists ${name}`)
  }
}

async function findsAny(db: Db, questions: readonly Question[]): Promise<boolean> {
  for (const [statement, ...values] of questions) {
    if ((await db.query(statement, values)).length > 0) return true
  }
  return false
}

const LIST_REMOVED = sql(
  'infra.list_removed_partitions',
  `select format('%I.%I', n.nspname, c.relname) name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relkind = 'r' and not c.relispartition and obj_description(c.oid, 'pg_class') = $2
   order by 1`,
)

const bound = (
  { type }: Pick<PartitionedTable, 'type'>,
  time: Date | null,
  otherwise: string,
): string => (time === null ? otherwise : `${type} '${keyOf(type, time)}'`)

function keyOf(type: KeyType, time: Date): string {
  switch (type) {
    case 'uuid':
      return firstUuidOf(time)
    case 'bigint':
      return String(firstNumberOf(time))
    case 'timestamptz':
      return time.toISOString()
    default:
      return unreachable(type)
  }
}

/** One transaction that gives up where it has to wait. */
const atOnce = (db: Db, statements: string): Promise<void> =>
  db.script(
    `do $$ begin perform set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true); ${statements} end $$`,
  )
