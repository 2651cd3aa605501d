import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqliteStore } from './sqlite-store.ts'

function parentFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-store-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

function assertPrivate(dataDir: string): void {
  assert.equal(modeOf(dataDir), '700')
  for (const name of ['sandbox.db', 'sandbox.db-wal']) {
    assert.equal(modeOf(join(dataDir, name)), '600', name)
  }
}

test('the database, its log files and their folder are open to their owner only', (t) => {
  const dataDir = join(parentFolder(t), 'made', 'sandbox')
  const umask = process.umask(0)
  t.after(() => process.umask(umask))
  const store = openSqliteStore(dataDir)
  store.writeSetting('name', 'value')
  assertPrivate(dataDir)
  store.close()
})

test('a store that an older version left open to others is closed to them at the next start', (t) => {
  const dataDir = join(parentFolder(t), 'sandbox')
  const first = openSqliteStore(dataDir)
  first.writeSetting('name', 'value')
  chmodSync(dataDir, 0o755)
  chmodSync(join(dataDir, 'sandbox.db'), 0o644)
  first.close()
  const second = openSqliteStore(dataDir)
  assert.equal(second.readSetting('name'), 'value')
  second.writeSetting('name', 'other')
  assertPrivate(dataDir)
  second.close()
})

test('a folder that also holds other files keeps its mode, and the database is private in it', (t) => {
  const dataDir = join(parentFolder(t), 'shared')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'notes.txt'), '')
  chmodSync(dataDir, 0o755)
  openSqliteStore(dataDir).close()
  assert.equal(modeOf(dataDir), '755')
  assert.equal(modeOf(join(dataDir, 'sandbox.db')), '600')
})
