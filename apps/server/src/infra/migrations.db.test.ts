import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from './db.ts'
import { findMissingMigrations, migrate, readMigrations } from './migrations.ts'
import { testDatabase } from './testing/database.ts'

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
