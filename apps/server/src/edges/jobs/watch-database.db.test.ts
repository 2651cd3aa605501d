// The database of a process after it was led to another server, and the standbys that a commit waits for.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { type Db, openDb } from '#infra/database/db'
import { countSynchronousStandbys } from '#infra/database/standbys'
import { createMetrics } from '#infra/process/metrics'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { type EmbeddedPostgres, startPostgres } from '../../../embedded-postgres/postgres.ts'
import { createWatchDatabase } from './watch-database.ts'

let database: TestDatabase
let other: EmbeddedPostgres
let otherDb: Db
const folder = mkdtempSync(join(tmpdir(), 'tradepost-watch-'))
before(async () => {
  database = await testDatabase()
  other = await startPostgres({ folder })
  otherDb = openDb({ url: other.url, poolSize: 2, applicationName: 'test' })
})
after(async () => {
  await otherDb?.close()
  await other?.stop()
  rmSync(folder, { recursive: true, force: true })
  await database.close()
})

it('another server or timeline behind the address is counted once, and a start is none', async () => {
  let current: Db = database.db
  const db: Db = { ...database.db, query: (...asked) => current.query(...asked) }
  const metrics = createMetrics()
  const { work } = createWatchDatabase({ db, metrics })
  const look = async (): Promise<string | undefined> => {
    await work({ signal: new AbortController().signal, processId: 'test' })
    return /^tradepost_db_history_changes_total (\d+)$/m.exec(await metrics.text())?.[1]
  }
  assert.deepEqual([await look(), await look()], ['0', '0'])
  current = otherDb
  assert.deepEqual([await look(), await look()], ['1', '1'])
})

it('a standby that is named and away holds no commit; a role that may not look takes the name for it', async () => {
  assert.equal(await countSynchronousStandbys(otherDb), 0)
  await otherDb.script(`create role onlooker login password 'onlooker'`)
  const url = new URL(other.url)
  url.username = 'onlooker'
  url.password = 'onlooker'
  const onlooker = openDb({ url: url.href, poolSize: 1, applicationName: 'test' })
  try {
    assert.equal(await countSynchronousStandbys(onlooker), 0)
    await otherDb.script(`alter system set synchronous_standby_names = 'away'`)
    await otherDb.script('select pg_reload_conf()')
    await until('the setting is read', async () => (await countSynchronousStandbys(onlooker)) === 1)
    assert.equal(await countSynchronousStandbys(otherDb), 0)
  } finally {
    await onlooker.close()
  }
})
