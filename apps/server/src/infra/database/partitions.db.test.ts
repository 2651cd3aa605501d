import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { sql } from './db.ts'
import {
  countAhead,
  DAYS_AHEAD,
  type DailyTable,
  keepPartitions,
  listPartitions,
} from './partitions.ts'

const { db, url, close } = await testDatabase()
after(close)

const DAY_MS = 24 * 3_600_000
const NOON = new Date('2026-03-01T12:00:00Z')
const inDays = (days: number): Date => new Date(NOON.getTime() + days * DAY_MS)

let made = 0
/** As a migration leaves it: one partition of all times, which was a table of its own. */
async function aTable(): Promise<DailyTable & { readonly plain: string }> {
  const table = `infra.log_${++made}`
  await db.script(
    `create table ${table}_first (id bigint not null, at timestamptz not null, primary key (id));
     create table ${table} (id bigint not null generated always as identity, at timestamptz not null)
       partition by range (at);
     create index on ${table} (at);
     alter table ${table} attach partition ${table}_first for values from (minvalue) to (maxvalue);
     create table ${table}_plain (id bigint not null generated always as identity, at timestamptz not null);`,
  )
  return { table, column: 'at', plain: `${table}_plain` }
}

const write = (table: string, at: Date) =>
  db.query(sql(`write ${table}`, `insert into ${table} (at) values ($1)`), [at])
const read = async (table: string): Promise<Date[]> =>
  (await db.query<{ at: Date }>(sql(`read ${table}`, `select at from ${table} order by at`))).map(
    ({ at }) => at,
  )
const shown = async (daily: DailyTable) =>
  (await listPartitions(db, daily)).map(
    ({ from, to }) =>
      `${from?.toISOString().slice(0, 10) ?? '…'} – ${to?.toISOString().slice(0, 10) ?? '…'}`,
  )

it('of an empty table each day from today on has a partition, a week ahead, and the last has no end', async () => {
  const daily = await aTable()
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  const partitions = await listPartitions(db, daily)
  assert.equal(countAhead(partitions, NOON), DAYS_AHEAD)
  const all = await shown(daily)
  assert.deepEqual(
    [all[0], all[1], all.at(-2), all.at(-1)],
    ['… – 2026-03-01', '2026-03-01 – 2026-03-02', '2026-03-08 – 2026-03-09', '2026-03-09 – …'],
  )
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  assert.deepEqual(await shown(daily), all, 'and another run makes none')
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
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  const during = written
  await until('rows are written after it', async () => written > during + 10)
  writing.abort()
  await writer
  assert.equal(await file(), before)
  assert.deepEqual((await shown(daily)).slice(0, 2), ['… – 2026-03-03', '2026-03-03 – 2026-03-04'])
  assert.equal((await read(daily.table)).length, written)
})

it('a run that was killed before it gave the first partition an end is begun again', async () => {
  const daily = await aTable()
  await write(daily.table, NOON)
  await db.script(
    `alter table ${daily.table}_first add constraint partition_ends check (at < '2026-03-02') not valid`,
  )
  await keepPartitions(db, daily, { at: inDays(0.1), keptDays: 30 })
  await write(daily.table, inDays(1))
  assert.deepEqual((await shown(daily))[0], '… – 2026-03-03')
  assert.equal((await read(daily.table)).length, 2)
})

it('a row is never refused for its time: at midnight, of clocks that differ, or when none was made for weeks', async () => {
  const daily = await aTable()
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  const times = [-20, -0.5, -0.5 - 1e-8, 0.5, 0.5 - 1e-8, 3, 6.9, 9, 25, 400].map(inDays)
  for (const at of times) await write(daily.table, at)
  assert.equal((await read(daily.table)).length, times.length)
})

it('after weeks without it the days since are one partition, and those ahead are made', async () => {
  const daily = await aTable()
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  for (const days of [1, 9, 15, 20]) await write(daily.table, inDays(days))
  await keepPartitions(db, daily, { at: inDays(20), keptDays: 30 })
  const all = await shown(daily)
  assert.ok(all.includes('2026-03-09 – 2026-03-23'), all.join(', '))
  assert.equal(countAhead(await listPartitions(db, daily), inDays(20)), DAYS_AHEAD)
  assert.equal((await read(daily.table)).length, 4)
})

it('rows of days far ahead stop it, with what is wrong, and are kept', async () => {
  const daily = await aTable()
  await write(daily.table, inDays(400))
  const keeping = () => keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  await assert.rejects(
    keeping,
    /log_\d+_first has rows of 2026-03-03T.* or later: a clock was wrong/,
  )
  await write(daily.table, inDays(401))
  assert.equal((await read(daily.table)).length, 2)
})

it('a day goes when its last moment is older than what is kept, and no row goes before', async () => {
  const daily = await aTable()
  const keptDays = 3
  await keepPartitions(db, daily, { at: NOON, keptDays })
  for (const days of [-1, 0, 1]) await write(daily.table, inDays(days))
  // The first day ended at midnight after NOON: three days later its end is as old.
  await keepPartitions(db, daily, { at: inDays(3.49), keptDays })
  assert.deepEqual(await read(daily.table), [0, 1].map(inDays), 'that of the day before has gone')
  await keepPartitions(db, daily, { at: inDays(3.5), keptDays })
  assert.deepEqual(await read(daily.table), [inDays(1)])
  const left = await db.query<{ name: string }>(
    sql('left', `select relname name from pg_class where relname like $1 and relkind = 'r'`),
    [`${daily.table.slice('infra.'.length)}\\_2%`],
  )
  assert.equal(left.length, (await listPartitions(db, daily)).length, 'its table is dropped')
})

it('nothing waits while a day is removed, and a removal that was cut off is finished by the next run', async () => {
  const daily = await aTable()
  await keepPartitions(db, daily, { at: NOON, keptDays: 3 })
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
  await keepPartitions(db, daily, { at: inDays(1), keptDays: 3 })
  assert.deepEqual((await shown(daily)).slice(0, 2), ['… – 2026-03-01', '2026-03-02 – 2026-03-03'])
})

it('a partition that cannot be locked at once is left for the next run, and writers go on', async () => {
  const daily = await aTable()
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  try {
    await reader.query(`begin; select from ${daily.table}`)
    const keeping = keepPartitions(db, daily, { at: NOON, keptDays: 30 })
    await assert.rejects(keeping, /lock timeout/)
    await write(daily.table, NOON)
  } finally {
    await reader.end()
  }
  await keepPartitions(db, daily, { at: NOON, keptDays: 30 })
  assert.deepEqual(await read(daily.table), [NOON])
})

it('reads what one table without partitions reads, but for whole days that are over', async () => {
  const step = fc.record({
    days: fc.double({ min: 0, max: 4, noNaN: true }),
    skewMinutes: fc.integer({ min: -90, max: 90 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const { plain, ...daily } = await aTable()
      let now = NOON
      for (const { days, skewMinutes } of steps) {
        now = new Date(now.getTime() + Math.round(days * DAY_MS))
        await keepPartitions(db, daily, { at: now, keptDays: 5 })
        const at = new Date(now.getTime() + skewMinutes * 60_000)
        await write(daily.table, at)
        await write(plain, at)
      }
      const kept = new Date(now.getTime() - 5 * DAY_MS)
      assert.deepEqual(await readSince(daily.table, kept), await readSince(plain, kept))
      const [oldest] = await read(daily.table)
      // The day of the oldest has not ended before what is kept begins.
      assert.ok(oldest === undefined || oldest.getTime() >= kept.getTime() - DAY_MS)
    }),
    { numRuns: 12 },
  )
})

const readSince = (table: string, since: Date) =>
  db.query(sql(`since ${table}`, `select id, at from ${table} where at >= $1 order by id`), [since])
