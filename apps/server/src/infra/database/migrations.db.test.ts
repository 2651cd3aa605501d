import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../process/clock.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { sql } from './db.ts'
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
