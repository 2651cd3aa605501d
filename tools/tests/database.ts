// The PostgreSQL of a test run, with the migrated template that every test file clones.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../apps/server/embedded-postgres/postgres.ts'
import { migrate, readMigrations } from '../../apps/server/src/infra/database/migrations.ts'
import { isAlive } from '../../apps/server/src/infra/process/processes.ts'
import { TEMPLATE } from '../../apps/server/src/infra/testing/database.ts'

export interface RunDatabase {
  readonly url: string
  stop(): Promise<void>
}

const SIZE = { maxConnections: 200, sharedBuffersMb: 128 }

/** In a temporary folder, and gone with the run. */
export async function startDatabase(): Promise<RunDatabase> {
  await sweep()
  const folder = join(tmpdir(), `tradepost-test-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const postgres = await startPostgres({ folder, ...SIZE })
  const stop = async (): Promise<void> => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await makeTemplate(postgres)
    return { url: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * In `folder`, where it stays for the next run, which needs to make neither it nor, while the migrations are
 * the same, its template. Refuses a folder that another run uses.
 */
export async function keepDatabase(folder: string): Promise<RunDatabase> {
  mkdirSync(folder, { recursive: true })
  const userFile = join(folder, 'run.pid')
  const user = Number(readOrNull(userFile))
  if (user && isAlive(user)) {
    throw new Error(`Process ${user} runs tests with --keep: wait for it, or run without.`)
  }
  writeFileSync(userFile, String(process.pid))
  const postgres = await startPostgres({ folder, ...SIZE })
  const stop = async (): Promise<void> => {
    await postgres.stop()
    rmSync(userFile)
  }
  try {
    const digest = createHash('sha256')
    for (const { sha256 } of readMigrations()) digest.update(sha256)
    const wanted = digest.digest('hex')
    const made = await onServer(postgres.url, async (client) => {
      const { rows } = await client.query<{ name: string; made: string | null }>(
        `select datname as name, shobj_description(oid, 'pg_database') as made from pg_database
         where datname ~ '^test_'`,
      )
      const template = rows.find(({ name }) => name === TEMPLATE)
      // What runs left that were killed, and a template of other migrations.
      for (const { name } of rows) {
        if (name !== TEMPLATE || template?.made !== wanted) {
          await client.query(`drop database ${name} with (force)`)
        }
      }
      return template?.made
    })
    if (made !== wanted) {
      await makeTemplate(postgres)
      await onServer(postgres.url, (client) =>
        client.query(`comment on database ${TEMPLATE} is '${wanted}'`),
      )
    }
    return { url: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function makeTemplate(postgres: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
  await onServer(postgres.url, (client) => client.query(`create database ${TEMPLATE}`))
  await migrate(postgres.urlOf(TEMPLATE))
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Stops and removes the servers of runs that were killed. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^tradepost-test-(\d+)$/.exec(name)?.[1])
    if (!pid || isAlive(pid)) continue
    const folder = join(tmpdir(), name)
    try {
      const left = await startPostgres({ folder })
      await left.stop()
    } catch {
      // Broken beyond starting: nothing runs there, so it can go.
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
