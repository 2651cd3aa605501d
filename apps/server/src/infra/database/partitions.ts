// Tables that are partitioned by the day (UTC), so that old rows go with their partition. There is no default
// partition, because PostgreSQL detaches none concurrently beside one. Instead the last partition has no end:
// any later row has a place, however long none was made.
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
 * Makes partitions ahead until there are `DAYS_AHEAD`, and removes those that hold nothing younger than
 * `keptDays`. What an interrupted run left is finished. One process at a time.
 */
export async function keepPartitions(
  db: Db,
  daily: DailyTable,
  { at, keptDays }: { readonly at: Date; readonly keptDays: number },
): Promise<void> {
  for (;;) {
    const partitions = await listPartitions(db, daily)
    if (countAhead(partitions, at) >= DAYS_AHEAD) break
    await endLast(db, daily, { partitions, at })
  }
  await removeBefore(db, daily, new Date(at.getTime() - keptDays * DAY_MS))
}

/** Gives the last partition an end, and makes the one after it. */
async function endLast(
  db: Db,
  daily: DailyTable,
  { partitions, at }: { readonly partitions: readonly Partition[]; readonly at: Date },
): Promise<void> {
  const { table, column } = daily
  const last = partitions.find(({ to }) => to === null)
  if (last === undefined) throw new Error(`${table} has no partition without an end`)
  const { name, from } = last
  const today = Math.floor(at.getTime() / DAY_MS) * DAY_MS
  const next = from === null ? today : Math.max(from.getTime() + DAY_MS, today)
  const text = `select from ${name} limit 1`
  const isEmpty = (await db.query(sql(`infra.any_row ${name}`, text))).length === 0
  // Its rows go on until it has an end, by clocks that differ: midnight must not come between.
  const end = new Date(isEmpty ? next : Math.max(next, today + 2 * DAY_MS))
  if (!isEmpty) await proveEnd(db, { name, column, end })
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
 * A check that is valid already spares the reading of all rows under the lock of the swap. Until that, rows
 * from `end` on are refused: `end` is a day off at least, and the swap follows at once.
 */
async function proveEnd(
  db: Db,
  { name, column, end }: { readonly name: string; readonly column: string; readonly end: Date },
): Promise<void> {
  const stop = bound(end, 'maxvalue')
  const later = `select from ${name} where ${column} >= $1 limit 1`
  if ((await db.query(sql(`infra.later_row ${name}`, later), [end])).length > 0) {
    throw new Error(`${name} has rows of ${end.toISOString()} or later: a clock was wrong`)
  }
  const drop = `alter table ${name} drop constraint if exists ${ENDS};`
  await atOnce(
    db,
    `${drop} alter table ${name} add constraint ${ENDS} check (${column} < ${stop}) not valid;`,
  )
  try {
    await db.transaction(
      (tx) =>
        tx.query(sql(`infra.validate ${name}`, `alter table ${name} validate constraint ${ENDS}`)),
      { statementTimeoutMs: VALIDATION_MS },
    )
  } catch (error) {
    await atOnce(db, drop)
    throw error
  }
}

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
