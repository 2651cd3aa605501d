// The PostgreSQL of a test run, with the migrated template that every test file clones.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const POSTGRES = 'postgres'
const SIZE = { maxConnections: 200, sharedBuffersMb: 128 }

/** In the folder of a run. It is not durable: what it has is gone with the run. */
export const startDatabase = (folder: string): Promise<RunDatabase> =>
  openDatabase({ folder: join(folder, POSTGRES), ...SIZE, isDurable: false }, () => {})

/** Stops what a run that was killed has left in its folder. */
export async function stopLeft(folder: string): Promise<void> {
  try {
    const left = await startPostgres({ folder: join(folder, POSTGRES) })
    await left.stop()
  } catch {
    // Broken beyond starting: nothing runs there, so it can go.
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

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
