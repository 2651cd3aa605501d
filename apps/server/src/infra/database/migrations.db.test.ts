import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../testing/database.ts'
import { sql } from './db.ts'
import { findMissingMigrations, type LockRetry, migrate, readMigrations } from './migrations.ts'

const database = await testDatabase()
after(() => database.close())

test('a migrated database lacks nothing, and migrating it again does nothing', async () => {
  assert.deepEqual(await migrate(database.url), [])
  const missing = await findMissingMigrations((text) => database.db.query(sql('', text)))
  assert.deepEqual(missing, [])
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
