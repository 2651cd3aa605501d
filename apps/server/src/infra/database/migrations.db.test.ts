import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../process/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { sql } from './db.ts'
import { planMigration } from './migration-plan.ts'
import { type LockRetry, migrate } from './migrations.ts'
import {
  APPLIED,
  type Applied,
  bearsOf,
  compareSchema,
  type Migration,
  readMigrations,
} from './schema-history.ts'

const database = await testDatabase()
after(() => database.close())

test('a migrated database lacks nothing, and migrating it again does nothing', async () => {
  assert.deepEqual(await migrate(database.url), [])
  const applied = await database.db.query<Applied>(sql('', APPLIED))
  assert.deepEqual(compareSchema(applied), { missing: [], isNewer: false, refusal: null })
})

test('an edited migration is refused by its name', async () => {
  const migrations = readMigrations().map((migration) =>
    migration.name === '0001_ledger' ? { ...migration, sha256: 'other' } : migration,
  )
  await assert.rejects(migrate(database.url, { migrations }), {
    name: 'CannotStart',
    message: /0001_ledger was changed/,
  })
})

test('a database of a newer version is refused', async () => {
  const migrations = readMigrations().slice(0, 1)
  await assert.rejects(migrate(database.url, { migrations }), {
    name: 'CannotStart',
    message: /newer version/,
  })
})

test('a development database from before the first release is refused with what to do', async () => {
  const old = await testDatabase()
  await old.db.script(`insert into infra.migration values ('0022_administration', '')`)
  await assert.rejects(migrate(old.url), {
    name: 'CannotStart',
    message: /from before its first release.* Delete it .*the folder \.data/,
  })
  await old.close()
})

const later = (name: string, bears: string) => ({
  name,
  text: `-- bears: ${bears}\ncreate table infra.x${name} ()`,
  sha256: name,
})
const PREVIOUS = later('9001_later', 'previous')
const NONE = later('9002_later', 'none')
const known = readMigrations()

/** A database that a later version has migrated. */
async function migratedBy(migrations: readonly Migration[]): Promise<TestDatabase> {
  const newer = await testDatabase({ poolSize: 2 })
  await migrate(newer.url, { migrations: [...known, ...migrations] })
  return newer
}
const stateOf = async ({ db }: TestDatabase) =>
  compareSchema(await db.query<Applied>(sql('', APPLIED)))

test('a later migration that bears the processes before is borne, and migrating does nothing', async () => {
  const newer = await migratedBy([PREVIOUS])
  assert.deepEqual(await stateOf(newer), { missing: [], isNewer: true, refusal: null })
  assert.deepEqual(await migrate(newer.url), [])
  await newer.close()
})

test('of several later migrations one that bears none is enough to be refused', async () => {
  const newer = await migratedBy([PREVIOUS, NONE])
  assert.match((await stateOf(newer)).refusal?.message ?? '', /newer version .*9002_later/)
  await newer.close()
})

test('a migration without its first line, or with another one, bears none', () => {
  const bears = (text: string) => bearsOf({ text })
  assert.equal(bears('-- bears: previous\nselect 1'), 'previous')
  for (const text of [
    ...['select 1', '', '-- bears: none\n', '-- bears: prev\n', '-- Bears: previous\n'],
    ...['-- bears: previous, nearly\n', '\n-- bears: previous\n', '-- bears:previous\n'],
  ])
    assert.equal(bears(text), 'none', text)
})

test('a later migration beside one that is missing is refused: they are of two lines of versions', async () => {
  const newer = await migratedBy([PREVIOUS])
  const mine = { name: '8000_mine', text: '', sha256: '' }
  await assert.rejects(migrate(newer.url, { migrations: [...known, mine] }), {
    name: 'CannotStart',
    message: /newer version .*9001_later/,
  })
  await newer.close()
})

test('a database from before migrations said what they bear gets the column, under its readers', async () => {
  const old = await testDatabase({ poolSize: 2 })
  await old.db.script('alter table infra.migration drop column bears')
  assert.deepEqual(await stateOf(old), { missing: [], isNewer: false, refusal: null })
  const [first] = await Promise.all([
    migrate(old.url, { migrations: [...known, PREVIOUS] }),
    ...Array.from({ length: 50 }, () => stateOf(old)),
  ])
  assert.deepEqual(first, ['9001_later'])
  assert.deepEqual(await stateOf(old), { missing: [], isNewer: true, refusal: null })
  await old.close()
})

const BEAT = sql(
  '',
  `insert into infra.heartbeat (job, process_id, started_at, beat_at)
   select job, $1, $2, $2 from unnest(array['api', 'place']) job`,
)
const beat = ({ db }: TestDatabase, processId: string, secondsAgo: number) =>
  db.query(BEAT, [processId, new Date(systemClock.now().getTime() - secondsAgo * 1000)])

test('what older processes cannot bear waits for them, and names those that live', async () => {
  const running = await testDatabase({ poolSize: 2 })
  await beat(running, 'host-1-abc', 3)
  await beat(running, 'host-2-killed', 31)
  const migrations = [...known, PREVIOUS, NONE]
  await assert.rejects(migrate(running.url, { migrations }), {
    name: 'CannotStart',
    message:
      /^Migration 9002_later can .* and some run: host-1-abc\. Nothing was changed\. .*--stop-the-world/,
  })
  assert.equal((await stateOf(running)).isNewer, false, 'also the one before it was not applied')
  assert.deepEqual(await migrate(running.url, { migrations: [...known, PREVIOUS] }), ['9001_later'])
  assert.deepEqual(await migrate(running.url, { migrations, stopTheWorld: true }), ['9002_later'])
  await running.close()
})

test('what older processes cannot bear is applied when the last of them has stopped, or was killed', async () => {
  const stopped = await testDatabase({ poolSize: 2 })
  await beat(stopped, 'host-2-killed', 31)
  const migrations = [...known, NONE]
  assert.deepEqual(await migrate(stopped.url, { migrations }), ['9002_later'])
  await stopped.close()
})

test('a migration that fails leaves nothing behind', async () => {
  const broken = { name: '9999_broken', text: 'create table infra.x (); select 1/0', sha256: '' }
  await assert.rejects(migrate(database.url, { migrations: [...readMigrations(), broken] }), {
    name: 'CannotStart',
    message: /9999_broken failed .*division by zero/,
  })
  const [row] = await database.db.query<{ found: string | null }>(
    sql('', "select to_regclass('infra.x') found"),
  )
  assert.equal(row?.found, null)
})

test('many processes that migrate at once apply each migration once', async () => {
  const extra = { name: '9999_extra', text: 'create table infra.extra ()', sha256: 'x' }
  const migrations = [...readMigrations(), extra]
  const results = await Promise.all(
    Array.from({ length: 5 }, () => migrate(database.url, { migrations })),
  )
  assert.deepEqual(results.flat(), ['9999_extra'])
})

const LOCK_RULES = { timeoutMs: 50, attempts: 3, firstPauseMs: 1 }

/** Another session, with a transaction that has read the table and stays open. */
async function aReader(): Promise<{ close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url, application_name: 'a reader' })
  await client.connect()
  await client.query('begin')
  await client.query('select from infra.setting')
  return { close: () => client.end() }
}

/** Needs a lock that no reader may hold. */
const changing = (name: string) => ({
  name,
  text: `alter table infra.setting add column x${name} integer`,
  sha256: name,
})
const withOneMore = async (name: string) => {
  const applied = await database.db.query<{ name: string; sha256: string }>(
    sql('', 'select name, sha256 from infra.migration order by name'),
  )
  return [...applied.map((row) => ({ ...row, text: '' })), changing(name)]
}

test('a migration that waits for a lock gives up, leaves nothing behind and names who holds it', async () => {
  const reader = await aReader()
  try {
    const migrations = await withOneMore('a001_locked')
    await assert.rejects(migrate(database.url, { migrations, lockRules: LOCK_RULES }), {
      name: 'CannotStart',
      message: /a001_locked could not lock .*3 attempts.*a reader, idle in transaction for 0 s/,
    })
  } finally {
    await reader.close()
  }
  const migrations = await withOneMore('a001_locked')
  assert.deepEqual(await migrate(database.url, { migrations }), ['a001_locked'])
})

test('between two attempts of a migration the others get their locks, and a later attempt succeeds', async () => {
  const reader = await aReader()
  const retries: LockRetry[] = []
  const applied = await migrate(database.url, {
    migrations: await withOneMore('a002_locked'),
    lockRules: { ...LOCK_RULES, attempts: 100 },
    onLockTimeout: (retry) => {
      retries.push(retry)
      if (retries.length === 2) void reader.close()
    },
  })
  assert.deepEqual(applied, ['a002_locked'])
  assert.deepEqual(
    retries.slice(0, 2).map(({ attempt, pauseMs }) => [attempt, pauseMs]),
    [
      [1, 1],
      [2, 2],
    ],
  )
})

const INDEX = {
  name: 'b001_index',
  text: `-- bears: previous
-- What it is for; this is no statement.
create unique index concurrently if not exists setting_value on infra.setting (value);`,
  sha256: 'index',
}

test('an index that is built concurrently waits for writers, and no writer waits for it', async () => {
  const building = await testDatabase({ poolSize: 2 })
  const writer = new pg.Client({ connectionString: building.url })
  await writer.connect()
  const write = 'insert into infra.setting (name, value) values ($1, to_json($1::text))'
  await writer.query('begin')
  await writer.query(write, ['first'])
  // Two at once: the one that waits for its turn holds no snapshot that the other one would wait for.
  const applied = [1, 2].map(() => migrate(building.url, { migrations: [...known, INDEX] }))
  await until('the index waits for the writer', () =>
    building.db
      .query<object>(
        sql(
          '',
          "select from pg_stat_progress_create_index where phase like 'waiting for writers%'",
        ),
      )
      .then((rows) => rows.length > 0),
  )
  await building.db.query(sql('', write), ['second'])
  await writer.query('commit')
  await writer.end()
  assert.deepEqual((await Promise.all(applied)).flat(), ['b001_index'])
  await building.close()
})

test('an index that cannot be built is named, and built anew when it can', async () => {
  const broken = await testDatabase({ poolSize: 2 })
  await broken.db.script(`insert into infra.setting (name, value) values ('a', '1'), ('b', '1')`)
  const migrations = [...known, INDEX]
  await assert.rejects(migrate(broken.url, { migrations }), {
    name: 'CannotStart',
    message: /b001_index failed and left an index behind that is not used: .*setting_value/,
  })
  await broken.db.script(`delete from infra.setting where name = 'b'`)
  assert.deepEqual(await migrate(broken.url, { migrations }), ['b001_index'])
  const valid = await broken.db.query(
    sql(
      '',
      "select from pg_index where indexrelid = 'infra.setting_value'::regclass and indisvalid",
    ),
  )
  assert.equal(valid.length, 1)
  await broken.close()
})

test('a plan names what would be applied with its locks and the size of its tables, and applies nothing', async () => {
  const planned = await testDatabase({ poolSize: 2 })
  const migrations = [...known, PREVIOUS, NONE, INDEX]
  const locks = {
    [NONE.name]: { 'infra.setting': 'AccessExclusiveLock', 'infra.new': 'ShareLock' },
  }
  assert.match(
    await planMigration(planned.url, { migrations, locks }),
    new RegExp(
      [
        '^9001_later: processes of the release before go on',
        '9002_later: no process of an older release may run',
        ' {2}infra\\.setting \\(\\d+ kB.*\\): AccessExclusiveLock, readers and writers wait',
        ' {2}infra\\.new \\(made by an earlier one of these\\): ShareLock, writers wait',
        'b001_index: processes of the release before go on; builds an index concurrently',
        ' {2}infra\\.setting \\(.*\\): ShareUpdateExclusiveLock, .*$',
      ].join('\n'),
    ),
  )
  assert.equal((await stateOf(planned)).isNewer, false)
  await planned.close()
})

test('a plan is made while others hold their locks', async () => {
  const reader = await aReader()
  try {
    const migrations = await withOneMore('a003_planned')
    assert.match(await planMigration(database.url, { migrations }), /^a003_planned: /)
  } finally {
    await reader.close()
  }
})

test('the plan of an empty database is every migration, and of a current one nothing', async () => {
  const empty = await testDatabase({ isEmpty: true, poolSize: 1 })
  const lines = (await planMigration(empty.url)).split('\n')
  assert.equal(lines.filter((line) => !line.startsWith(' ')).length, known.length)
  await empty.db.close()
  const current = await testDatabase({ poolSize: 1 })
  assert.match(await planMigration(current.url), /^Nothing would be applied/)
  await current.close()
})

test('a plan of what would be refused is refused', async () => {
  await assert.rejects(planMigration(database.url, { migrations: readMigrations().slice(0, 1) }), {
    name: 'CannotStart',
    message: /newer version/,
  })
})
