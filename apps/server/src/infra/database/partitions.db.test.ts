import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { newId } from '#kernel/id'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { openDb, sql } from './db.ts'
import {
  countAhead,
  countOverdue,
  firstNumberOf,
  type KeepOptions,
  keepPartitions,
  listPartitions,
  type PartitionedTable,
  SPANS,
} from './partitions.ts'

const { db, url, close } = await testDatabase()
after(close)

const DAY_MS = 24 * 3_600_000
const NOON = new Date('2026-03-01T12:00:00Z')
const inDays = (days: number): Date => new Date(NOON.getTime() + days * DAY_MS)

let made = 0
/** As a migration leaves it: one partition of all times, which was a table of its own. */
async function aTable(
  span: PartitionedTable['span'] = 'day',
): Promise<PartitionedTable & { readonly plain: string }> {
  const table = `infra.log_${++made}`
  const column = span === 'day' ? 'at' : 'key'
  const type = span === 'day' ? 'timestamptz' : 'uuid'
  const columns = 'at timestamptz not null, key uuid not null'
  await db.script(
    `create table ${table}_first (id bigint not null, ${columns}, primary key (id));
     create table ${table} (id bigint not null generated always as identity, ${columns})
       partition by range (${column});
     create index on ${table} (at);
     create index on ${table} (key);
     alter table ${table} attach partition ${table}_first for values from (minvalue) to (maxvalue);
     create table ${table}_plain (id bigint not null generated always as identity, ${columns});`,
  )
  return { table, column, type, span, plain: `${table}_plain` }
}

const keep = (daily: PartitionedTable, of: Omit<KeepOptions, 'signal'> & Partial<KeepOptions>) =>
  keepPartitions(db, daily, { signal: new AbortController().signal, ...of })
const write = (table: string, at: Date) =>
  db.query(sql(`write ${table}`, `insert into ${table} (at, key) values ($1, $2)`), [
    at,
    newId(at.getTime()),
  ])
const read = async (table: string): Promise<Date[]> =>
  (await db.query<{ at: Date }>(sql(`read ${table}`, `select at from ${table} order by at`))).map(
    ({ at }) => at,
  )
const shown = async (daily: PartitionedTable) =>
  (await listPartitions(db, daily)).map(
    ({ from, to }) =>
      `${from?.toISOString().slice(0, 10) ?? '…'} – ${to?.toISOString().slice(0, 10) ?? '…'}`,
  )

it('of an empty table each day from today on has a partition, a week ahead, and the last has no end', async () => {
  const daily = await aTable()
  await keep(daily, { at: NOON, keptDays: 30 })
  const partitions = await listPartitions(db, daily)
  assert.equal(countAhead(partitions, NOON), SPANS.day.ahead)
  const all = await shown(daily)
  assert.deepEqual(
    [all[0], all[1], all.at(-2), all.at(-1)],
    ['… – 2026-03-01', '2026-03-01 – 2026-03-02', '2026-03-08 – 2026-03-09', '2026-03-09 – …'],
  )
  await keep(daily, { at: NOON, keptDays: 30 })
  assert.deepEqual(await shown(daily), all, 'and another run makes none')
})

it('months are those of UTC, three ahead, and a table with rows gets its first end a month off at least', async () => {
  const empty = await aTable('month')
  await keep(empty, { at: NOON, keptDays: 30 })
  assert.deepEqual(await shown(empty), [
    ...['… – 2026-03-01', '2026-03-01 – 2026-04-01', '2026-04-01 – 2026-05-01'],
    ...['2026-05-01 – 2026-06-01', '2026-06-01 – 2026-07-01', '2026-07-01 – …'],
  ])
  const filled = await aTable('month')
  const end = new Date('2026-04-30T23:59:59.999Z')
  for (const at of [inDays(-400), NOON, end]) await write(filled.table, at)
  // The next is of May.
  await keep(filled, { at: NOON, keptDays: 500 })
  await write(filled.table, new Date(end.getTime() + 1))
  const counts = await Promise.all(
    (await listPartitions(db, filled))
      .slice(0, 3)
      .map(async ({ name }) => (await read(name)).length),
  )
  assert.deepEqual((await shown(filled)).slice(0, 2), ['… – 2026-05-01', '2026-05-01 – 2026-06-01'])
  assert.deepEqual(counts, [3, 1, 0])
})

it('of numbers that begin with their month a table with rows ends before the month, however long it takes', async () => {
  const numbered: PartitionedTable = { ...(await aTable()), ...NUMBERED }
  const { table } = numbered
  await db.script(
    `alter table ${table} detach partition ${table}_first; drop table ${table};
     create table ${table} (id bigint not null generated always as identity, number bigint not null)
       partition by range (number);
     alter table ${table}_first add column number bigint not null;
     alter table ${table}_first drop column at, drop column key;
     alter table ${table} attach partition ${table}_first for values from (minvalue) to (maxvalue);`,
  )
  const give = (number: bigint) =>
    db.query(sql(`give ${table}`, `insert into ${table} (number) values ($1)`), [number])
  await give(1n)
  // A run that was killed a month ago: what it has proven still holds, because no number is beyond it.
  await db.script(
    `alter table ${table}_first add constraint partition_ends check (number < bigint '${firstNumberOf(inDays(-20))}')`,
  )
  await give(2n)
  await keep(numbered, { at: NOON, keptDays: 30 })
  assert.deepEqual(await shown(numbered), [
    ...['… – 2026-02-01', '2026-02-01 – 2026-03-01', '2026-03-01 – 2026-04-01'],
    ...['2026-04-01 – 2026-05-01', '2026-05-01 – 2026-06-01', '2026-06-01 – 2026-07-01'],
    '2026-07-01 – …',
  ])
  await give(firstNumberOf(inDays(31)) - 1n)
  await give(firstNumberOf(inDays(31)))
  const [, , march, april] = await listPartitions(db, numbered)
  const counted = await Promise.all([march, april].map((one) => countOf(one?.name ?? '')))
  assert.deepEqual(counted, [1, 1])
  assert.equal(await fillfactorOf(april?.name ?? ''), 'fillfactor=70')
})
const NUMBERED = { column: 'number', type: 'bigint', span: 'month', fillfactor: 70 } as const
const countOf = async (table: string) =>
  (await db.query<{ n: number }>(sql(`count ${table}`, `select count(*)::int n from ${table}`)))[0]
    ?.n
const fillfactorOf = async (table: string) =>
  (
    await db.query<{ options: string }>(
      sql('options', `select reloptions[1] options from pg_class where oid = $1::regclass`),
      [table],
    )
  )[0]?.options

it('a partition with rows that must stay is not removed, and is counted', async () => {
  const kept: Awaited<ReturnType<typeof aTable>> = {
    ...(await aTable()),
    keptWhile: ({ name }) => [[sql(`first of ${name}`, `select from ${name} where id = $1`), 1]],
  }
  await keep(kept, { at: NOON, keptDays: 3 })
  await write(kept.table, NOON)
  await write(kept.table, inDays(1))
  const late = { at: inDays(20), keptDays: 3 }
  const overdue = async () => countOverdue(await listPartitions(db, kept), late)
  await keep(kept, late)
  assert.deepEqual([await read(kept.table), await overdue()], [[NOON], 1])
  await db.script(`delete from ${kept.table}`)
  await keep(kept, late)
  assert.equal(await overdue(), 0)
  assert.ok((await shown(kept))[0]?.startsWith('2026-03-09'))
})

it('a filled table becomes the first partition without being written anew, while rows are written to it', async () => {
  const daily = await aTable()
  for (const days of [-40, -1, 0, 0.6]) await write(daily.table, inDays(days))
  const file = async () =>
    (
      await db.query<{ file: number }>(
        sql('file', 'select pg_relation_filenode($1::regclass)::int file'),
        [`${daily.table}_first`],
      )
    )[0]?.file
  const before = await file()
  const writing = new AbortController()
  let written = 4
  const writer = (async () => {
    for (; !writing.signal.aborted; written++) await write(daily.table, NOON)
  })()
  await until('rows are written', async () => written > 10)
  await keep(daily, { at: NOON, keptDays: 30 })
  const during = written
  await until('rows are written after it', async () => written > during + 10)
  writing.abort()
  await writer
  assert.equal(await file(), before)
  assert.deepEqual((await shown(daily)).slice(0, 2), ['… – 2026-03-15', '2026-03-15 – 2026-03-16'])
  assert.equal((await read(daily.table)).length, written)
})

it('a run that was killed before it gave the first partition an end is begun again', async () => {
  const daily = await aTable()
  await write(daily.table, NOON)
  await db.script(
    `alter table ${daily.table}_first add constraint partition_ends check (at < '2026-03-02') not valid`,
  )
  await keep(daily, { at: inDays(0.1), keptDays: 30 })
  await write(daily.table, inDays(1))
  assert.deepEqual((await shown(daily))[0], '… – 2026-03-15')
  assert.equal((await read(daily.table)).length, 2)
})

it('rows go on for the days until a release is taken back after a run that was killed while it read them', async () => {
  const daily = await aTable()
  await write(daily.table, NOON)
  await whileItReads(async ({ session, pid }) => {
    const keeping = keep(daily, { at: NOON, keptDays: 30 })
    const cut = assert.rejects(keeping)
    const reading = await pid()
    // What it would do in the end cannot be done either.
    await session.query(`begin; select from ${daily.table}`)
    await session.query('select pg_terminate_backend($1)', [reading])
    await cut
    await session.query('commit')
  })
  assert.deepEqual(await checksOf(daily), ['partition_ends'])
  for (const days of [0.1, 2, 7, 13]) await write(daily.table, inDays(days))
  await keep(daily, { at: inDays(13), keptDays: 30 })
  assert.deepEqual(await checksOf(daily), [], 'the next run takes it away')
})

for (const [span, first, next, expected] of [
  ['day', 0, 1, '2026-03-15'],
  ['day', 0, 8, '2026-03-23'],
  ['month', -4, -1, '2026-04-01'],
] as const) {
  it(`a run after one that could not swap takes the end that it has proven while that is far off: ${span} ${next}`, async () => {
    const parted = await aTable(span)
    await write(parted.table, inDays(first))
    const dump = new pg.Client({ connectionString: url })
    await dump.connect()
    try {
      await dump.query(`begin; lock table only ${parted.table} in access share mode`)
      await assert.rejects(keep(parted, { at: inDays(first), keptDays: 30 }), /lock timeout/)
    } finally {
      await dump.end()
    }
    assert.deepEqual([await checksOf(parted), await shown(parted)], [['partition_ends'], ['… – …']])
    // One that proves anew ends as far off as the time of the run asks for.
    await keep(parted, { at: inDays(next), keptDays: 30 })
    assert.equal((await shown(parted))[0], `… – ${expected}`)
    assert.deepEqual(await checksOf(parted), [])
  })
}

it('a run whose signal aborts reads no further and leaves nothing behind', async () => {
  const daily = await aTable()
  await write(daily.table, NOON)
  await whileItReads(async ({ pid }) => {
    const stopping = new AbortController()
    const keeping = keep(daily, { at: NOON, keptDays: 30, signal: stopping.signal })
    const cut = assert.rejects(keeping, /canceling statement due to user request/)
    await pid()
    stopping.abort()
    await cut
  })
  assert.deepEqual([await checksOf(daily), await shown(daily)], [[], ['… – …']])
})

const checksOf = async ({ table }: PartitionedTable): Promise<readonly string[]> =>
  (await db.query<{ name: string }>(CHECKS, [`${table}_first`])).map(({ name }) => name)
const CHECKS = sql(
  'checks',
  `select conname name from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
)

interface Reading {
  /** Beside the run, which reads for as long as this is open. */
  readonly session: pg.Client
  /** Of the connection that reads, once it does. */
  pid(): Promise<number>
}

async function whileItReads(work: (reading: Reading) => Promise<void>): Promise<void> {
  await db.script(HOLD_READING)
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query('select pg_advisory_lock(1)')
    const pid = () =>
      until('it reads', async () => (await db.query<{ pid: number }>(READING))[0]?.pid ?? null)
    await work({ session, pid })
  } finally {
    await session.end()
    await db.script('drop event trigger hold_reading')
  }
}

const HOLD_READING = `
  create or replace function infra.hold_reading() returns event_trigger language plpgsql as $$ begin
    if current_query() like '%validate constraint%' then perform pg_advisory_xact_lock(1); end if;
  end $$;
  create event trigger hold_reading on ddl_command_start execute function infra.hold_reading()`
const READING = sql(
  'reading',
  `select l.pid from pg_locks l join pg_database d on d.oid = l.database
   where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
)

it('to end a partition reads all of it once, and never under the lock of the swap', async () => {
  const daily = await aTable()
  const count = 5000
  const fill = async (days: number) => {
    const text = `insert into ${daily.table} (at, key) select $1, uuidv7() from generate_series(1, $2)`
    await db.query(sql(`fill ${daily.table}`, text), [inDays(days), count])
    // Or the search for rows that are dated too late does not use the index.
    await db.script(`analyze ${daily.table}`)
  }
  // Each connection counts what it has read; this one does the whole run.
  const one = openDb({ url, poolSize: 1 })
  const rowsRead = async (name: string | undefined) => {
    await one.query(sql('flush', 'select pg_stat_force_next_flush()'))
    const [read] = await one.query<{ rows: number }>(
      sql('rows read', 'select pg_stat_get_tuples_returned($1::regclass)::integer rows'),
      [name],
    )
    return read?.rows ?? 0
  }
  try {
    for (const days of [0, 40]) {
      await fill(days)
      const last = (await listPartitions(db, daily)).at(-1)?.name
      const before = await rowsRead(last)
      const options = { at: inDays(days), keptDays: 90, signal: new AbortController().signal }
      await keepPartitions(one, daily, options)
      const read = (await rowsRead(last)) - before
      assert.ok(read >= count && read < 2 * count, `${read} of ${count} rows of ${last}`)
    }
  } finally {
    await one.close()
  }
})

it('a row is never refused for its time: at midnight, of clocks that differ, or when none was made for weeks', async () => {
  const daily = await aTable()
  await keep(daily, { at: NOON, keptDays: 30 })
  const times = [-20, -0.5, -0.5 - 1e-8, 0.5, 0.5 - 1e-8, 3, 6.9, 9, 25, 400].map(inDays)
  for (const at of times) await write(daily.table, at)
  assert.equal((await read(daily.table)).length, times.length)
})

it('after weeks without it the days since are one partition, and those ahead are made', async () => {
  const daily = await aTable()
  await keep(daily, { at: NOON, keptDays: 30 })
  for (const days of [1, 9, 15, 20]) await write(daily.table, inDays(days))
  await keep(daily, { at: inDays(20), keptDays: 30 })
  const all = await shown(daily)
  assert.ok(all.includes('2026-03-09 – 2026-04-04'), all.join(', '))
  assert.equal(countAhead(await listPartitions(db, daily), inDays(20)), SPANS.day.ahead)
  assert.equal((await read(daily.table)).length, 4)
})

it('rows of days far ahead stop it, with what is wrong, and are kept', async () => {
  const daily = await aTable()
  await write(daily.table, inDays(400))
  const keeping = () => keep(daily, { at: NOON, keptDays: 30 })
  await assert.rejects(
    keeping,
    /log_\d+_first has rows of 2026-03-15T.* or later: a clock was wrong/,
  )
  await write(daily.table, inDays(401))
  assert.equal((await read(daily.table)).length, 2)
})

it('a day goes when its last moment is older than what is kept, and no row goes before', async () => {
  const daily = await aTable()
  const keptDays = 3
  await keep(daily, { at: NOON, keptDays })
  for (const days of [-1, 0, 1]) await write(daily.table, inDays(days))
  // The first day ended at midnight after NOON: three days later its end is as old.
  await keep(daily, { at: inDays(3.49), keptDays })
  assert.deepEqual(await read(daily.table), [0, 1].map(inDays), 'that of the day before has gone')
  await keep(daily, { at: inDays(3.5), keptDays })
  assert.deepEqual(await read(daily.table), [inDays(1)])
  const left = await db.query<{ name: string }>(
    sql('left', `select relname name from pg_class where relname like $1 and relkind = 'r'`),
    [`${daily.table.slice('infra.'.length)}\\_2%`],
  )
  assert.equal(left.length, (await listPartitions(db, daily)).length, 'its table is dropped')
})

it('nothing waits while a day is removed, and a removal that was cut off is finished by the next run', async () => {
  const daily = await aTable()
  await keep(daily, { at: NOON, keptDays: 3 })
  await write(daily.table, NOON)
  const reader = new pg.Client({ connectionString: url })
  const remover = new pg.Client({ connectionString: url })
  await Promise.all([reader.connect(), remover.connect()])
  try {
    await reader.query(`begin; select from ${daily.table}`)
    const [, today] = await listPartitions(db, daily)
    await remover.query(`comment on table ${today?.name} is 'removed by keep-partitions'`)
    const removal = remover.query(
      `alter table ${daily.table} detach partition ${today?.name} concurrently`,
    )
    const cut = assert.rejects(removal, /canceling statement/)
    await until('it waits for the reader', async () =>
      (await listPartitions(db, daily)).some(({ isLeaving }) => isLeaving),
    )
    await write(daily.table, inDays(1))
    assert.deepEqual(await read(daily.table), [inDays(1)])
    await reader.query('select pg_cancel_backend($1)', [
      (remover as unknown as { processID: number }).processID,
    ])
    await cut
    await reader.query('commit')
  } finally {
    await Promise.all([reader.end(), remover.end()])
  }
  await keep(daily, { at: inDays(1), keptDays: 3 })
  assert.deepEqual((await shown(daily)).slice(0, 2), ['… – 2026-03-01', '2026-03-02 – 2026-03-03'])
})

it('a partition that cannot be locked at once is left for the next run, and writers go on', async () => {
  const daily = await aTable()
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  try {
    await reader.query(`begin; select from ${daily.table}`)
    const keeping = keep(daily, { at: NOON, keptDays: 30 })
    await assert.rejects(keeping, /lock timeout/)
    await write(daily.table, NOON)
  } finally {
    await reader.end()
  }
  await keep(daily, { at: NOON, keptDays: 30 })
  assert.deepEqual(await read(daily.table), [NOON])
})

for (const [span, most] of [
  ['day', 4],
  ['month', 40],
] as const) {
  it(`reads what one table without partitions reads, but for a whole ${span} that is over`, async () => {
    const step = fc.record({
      days: fc.double({ min: 0, max: most, noNaN: true }),
      skewMinutes: fc.integer({ min: -90, max: 90 }),
    })
    const keptDays = most + 1
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const { plain, ...parted } = await aTable(span)
        let now = NOON
        for (const { days, skewMinutes } of steps) {
          now = new Date(now.getTime() + Math.round(days * DAY_MS))
          await keep(parted, { at: now, keptDays })
          const at = new Date(now.getTime() + skewMinutes * 60_000)
          await write(parted.table, at)
          await write(plain, at)
        }
        const kept = new Date(now.getTime() - keptDays * DAY_MS)
        assert.deepEqual(await readSince(parted.table, kept), await readSince(plain, kept))
        const [oldest] = await read(parted.table)
        // That of the oldest has not ended before what is kept begins.
        const { startOf, after } = SPANS[span]
        assert.ok(oldest === undefined || after(startOf(oldest)) > kept)
      }),
      { numRuns: 12 },
    )
  })
}

const readSince = (table: string, since: Date) =>
  db.query(sql(`since ${table}`, `select id, at from ${table} where at >= $1 order by id`), [since])
