// The PostgreSQL of a test run, with the migrated template that every test file clones.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { migrate } from '../../apps/server/src/infra/database/migrations.ts'
import { readMigrations } from '../../apps/server/src/infra/database/schema-history.ts'
import { isAlive } from '../../apps/server/src/infra/process/processes.ts'
import { onServer, TEMPLATE } from '../../apps/server/src/infra/testing/database.ts'

export interface RunDatabase {
  readonly url: string
  stop(): Promise<void>
}

const SIZE = { maxConnections: 200, sharedBuffersMb: 128 }

/**
 * In a temporary folder, and gone with the run. It is not durable: a file drops its database in the end, and
 * the drop would wait until what all files have written is on the disk, where nothing reads it.
 */
export async function startDatabase(): Promise<RunDatabase> {
  await sweep()
  const folder = join(tmpdir(), `tradepost-test-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const release = (): void => rmSync(folder, { recursive: true, force: true })
  return openDatabase({ folder, ...SIZE, isDurable: false }, release)
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
  return openDatabase({ folder, ...SIZE }, () => rmSync(userFile))
}

async function openDatabase(
  options: EmbeddedPostgresOptions,
  release: () => void,
): Promise<RunDatabase> {
  const postgres = await startPostgres(options)
  const stop = async (): Promise<void> => {
    await postgres.stop()
    release()
  }
  try {
    await prepareTemplate(postgres)
    return { url: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const LIST = `select datname as name, shobj_description(oid, 'pg_database') as made
  from pg_database where datname ~ '^test_'`

/** Of what a kept folder has, a template of the same migrations stays; killed runs left the rest. */
async function prepareTemplate({ url, urlOf }: EmbeddedPostgres): Promise<void> {
  const digest = createHash('sha256')
  for (const { sha256 } of readMigrations()) digest.update(sha256)
  const wanted = digest.digest('hex')
  let isMade = false
  for (const { name, made } of await onServer<{ name: string; made: string | null }>(url, LIST)) {
    if (name === TEMPLATE && made === wanted) isMade = true
    else await onServer(url, `drop database ${name} with (force)`)
  }
  if (isMade) return
  await onServer(url, `create database ${TEMPLATE}`)
  await migrate(urlOf(TEMPLATE))
  await onServer(url, `comment on database ${TEMPLATE} is '${wanted}'`)
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
