// The embedded server through the deaths of its owner, of itself and of the machine.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { isAlive, signal, waitForEnd } from '../src/infra/process/processes.ts'
import { until } from '../src/infra/testing/until.ts'
import { type EmbeddedPostgres, findRunningPostgres, startPostgres } from './postgres.ts'
import { readServerPid } from './postgres-access.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-postgres-'))
const owners: ChildProcess[] = []
after(async () => {
  for (const owner of owners) owner.kill('SIGKILL')
  // Whatever a failed test left running is ended by the next start.
  await (await startPostgres({ folder })).stop()
  rmSync(folder, { recursive: true })
})

interface Owner {
  readonly process: ChildProcess
  readonly url: string
  readonly pid: number
}

async function startOwner(): Promise<Owner> {
  const program = join(import.meta.dirname, 'testing/postgres-process.ts')
  const owner = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  owners.push(owner)
  const [line] = await once(createInterface({ input: owner.stdout }), 'line')
  return { process: owner, ...(JSON.parse(line) as { url: string; pid: number }) }
}

/** Owned by this process until the test ends. */
async function startHere(t: TestContext, onCrash = (_: string) => {}): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ folder, onCrash })
  t.after(() => postgres.stop())
  return postgres
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

const notes = (url: string) => query(url, 'select text from note order by text')

test('a first start makes a durable server that only this machine and its password reach', async () => {
  const owner = await startOwner()
  await query(owner.url, `create table note (text text); insert into note values ('1 kept')`)
  const settings = await query(
    owner.url,
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit',
       'full_page_writes', 'listen_addresses', 'unix_socket_directories', 'data_checksums') order by 1`,
  )
  assert.deepEqual(settings, [
    { name: 'data_checksums', setting: 'on' },
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'synchronous_commit', setting: 'on' },
    { name: 'unix_socket_directories', setting: '' },
  ])
  const wrong = new URL(owner.url)
  wrong.password = 'wrong'
  await assert.rejects(notes(wrong.href), /password authentication failed/)
  assert.equal(statSync(join(folder, 'access.json')).mode & 0o777, 0o600)
  assert.equal(findRunningPostgres(folder), owner.url)
  owner.process.kill('SIGTERM')
  await once(owner.process, 'exit')
  assert.equal(isAlive(owner.pid), false)
  assert.equal(findRunningPostgres(folder), null)
})

test('started again it is found under the same address with all that was kept', async () => {
  const first = await startOwner()
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  const second = await startOwner()
  assert.equal(second.url, first.url)
  assert.deepEqual(await notes(second.url), [{ text: '1 kept' }])
  second.process.kill('SIGTERM')
  await once(second.process, 'exit')
})

test('a server that outlived its killed owner is ended at the next start, and nothing is lost', async (t) => {
  const owner = await startOwner()
  await query(owner.url, `insert into note values ('2 before the kill')`)
  owner.process.kill('SIGKILL')
  await once(owner.process, 'exit')
  assert.ok(isAlive(owner.pid), 'it runs on without its owner')
  const postgres = await startHere(t)
  assert.equal(isAlive(owner.pid), false)
  assert.deepEqual(await notes(postgres.url), [{ text: '1 kept' }, { text: '2 before the kill' }])
})

test('after a kill of everything at once the next start recovers', async (t) => {
  const owner = await startOwner()
  await query(owner.url, `insert into note values ('3 before the power cut')`)
  owner.process.kill('SIGKILL')
  process.kill(owner.pid, 'SIGKILL')
  await waitForEnd(owner.pid, 5000)
  assert.ok(existsSync(join(folder, 'data/postmaster.pid')))
  const postgres = await startHere(t)
  assert.equal((await notes(postgres.url)).length, 3)
})

test('a stale process id that belongs to another program by now is no obstacle', async (t) => {
  writeFileSync(join(folder, 'data/postmaster.pid'), `${process.pid}\n${join(folder, 'data')}\n`)
  const postgres = await startHere(t)
  assert.equal((await notes(postgres.url)).length, 3)
})

test('a server that dies is started again under the same address', async (t) => {
  const crashes: string[] = []
  const postgres = await startHere(t, (detail) => void crashes.push(detail))
  const killed = postgres.pid()
  process.kill(killed, 'SIGKILL')
  await until(
    'it is back',
    async () => (await notes(postgres.url)).length === 3 && postgres.pid() !== killed,
  )
  assert.deepEqual(crashes, ['PostgreSQL ended (SIGKILL)'])
  await postgres.stop()
  assert.equal(isAlive(postgres.pid()), false)
})

test('a server that dies in the moment in which it is back is started again each time', async (t) => {
  const postgres = await startHere(t)
  for (let round = 0; round < 12; round++) {
    // Of the server itself: this process may not know yet that it is back.
    signal(readServerPid(postgres.dataFolder) ?? -1, 'SIGKILL')
    await until('it is back', async () => (await notes(postgres.url)).length === 3, { everyMs: 1 })
  }
  await postgres.stop()
})

test('a database of another PostgreSQL is refused in a sentence', async () => {
  writeFileSync(join(folder, 'data/PG_VERSION'), '17\n')
  await assert.rejects(startPostgres({ folder }), {
    name: 'CannotStart',
    message: /written by PostgreSQL 17/,
  })
  writeFileSync(join(folder, 'data/PG_VERSION'), '18\n')
})
