// Plain SQL files, applied in the order of their names, forward only. Each is one transaction and is
// recorded with its hash, so that an edited file and a newer database are refused before anything runs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CannotStart } from '../process/cannot-start.ts'

const MIGRATIONS_FOLDER: string = join(import.meta.dirname, '../../../migrations')

export interface Migration {
  /** `0001_ledger` */
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** All migrations that this version of the code brings, in their order. */
export function readMigrations(folder: string = MIGRATIONS_FOLDER): readonly Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { name: name.replace(/\.sql$/, ''), text, sha256 }
    })
}

// An arbitrary number: any two processes that migrate one database must use the same.
const LOCK_KEY = 7_236_401

export interface MigrateOptions {
  readonly migrations?: readonly Migration[]
  readonly onProgress?: (name: string) => void
  /** A migration could not lock a table in time; it was rolled back and is tried again after the pause. */
  readonly onLockTimeout?: (retry: LockRetry) => void
  readonly lockRules?: LockRules
}

export interface LockRetry {
  readonly migration: string
  readonly attempt: number
  readonly pauseMs: number
  /** Sessions with open transactions, the oldest first. */
  readonly openTransactions: readonly string[]
}

/**
 * A statement that waits for a lock makes all later ones on that table wait behind it, reads included. So
 * each attempt waits briefly, and between two attempts the others get through.
 */
export interface LockRules {
  readonly timeoutMs: number
  readonly attempts: number
  /** After the first attempt; doubles with each. */
  readonly firstPauseMs: number
}

/** Two seconds of waiting at most at a time, a minute and a half in all. */
const LOCK_RULES: LockRules = { timeoutMs: 2000, attempts: 8, firstPauseMs: 500 }
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** Applies what is missing and returns its names. Many processes may call this at once. */
export async function migrate(
  url: string,
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const { migrations = readMigrations(), onProgress = () => {} } = options
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await connect(client, url)
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY])
    await client.query(RECORD)
    const applied = await readApplied(client)
    checkHistory(applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing) {
      onProgress(migration.name)
      await applyWithRetry(client, migration, options)
    }
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** Names of this version's migrations that a database lacks. Refuses as `migrate` does. */
export async function findMissingMigrations(
  query: (text: string) => Promise<readonly { name: string; sha256: string }[]>,
  migrations: readonly Migration[] = readMigrations(),
): Promise<readonly string[]> {
  const rows = await query('select name, sha256 from infra.migration')
  const applied = new Map(rows.map((row) => [row.name, row.sha256]))
  checkHistory(applied, migrations)
  return migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name)
}

const RECORD = `
  create schema if not exists infra;
  create table if not exists infra.migration (
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    constraint migration_pkey primary key (name)
  )`

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from infra.migration',
  )
  return new Map(rows.map((row) => [row.name, row.sha256]))
}

/** Known to development databases alone: the files of the schemas have what it made. */
const BEFORE_RELEASE = '0022_administration'

function checkHistory(applied: ReadonlyMap<string, string>, known: readonly Migration[]): void {
  if (applied.has(BEFORE_RELEASE)) {
    throw new CannotStart(
      'The database was made by a version of Tradepost from before its first release, which cannot be ' +
        'migrated. Delete it (of `npm start`, the folder .data) or use another one: the next start makes it anew.',
    )
  }
  const byName = new Map(known.map((migration) => [migration.name, migration]))
  for (const [name, sha256] of applied) {
    const migration = byName.get(name)
    if (!migration) {
      throw new CannotStart(
        `The database was written by a newer version of Tradepost (it has migration ${name}, which ` +
          'this version does not know). Start that version, or use another database.',
      )
    }
    if (migration.sha256 !== sha256) {
      throw new CannotStart(
        `Migration ${name} was changed after it had been applied to this database. Restore the file ` +
          'as it was and write a new migration instead, or use another database.',
      )
    }
  }
}

async function applyWithRetry(
  client: pg.Client,
  migration: Migration,
  { onLockTimeout = () => {}, lockRules = LOCK_RULES }: MigrateOptions,
): Promise<void> {
  const { timeoutMs, attempts, firstPauseMs } = lockRules
  for (let attempt = 1; ; attempt++) {
    const error = await apply(client, migration, timeoutMs)
    if (error === null) return
    const state = error instanceof pg.DatabaseError ? error.code : undefined
    if (state !== LOCK_NOT_AVAILABLE && state !== DEADLOCK) {
      throw new CannotStart(
        `Migration ${migration.name} failed and left nothing behind: ${describe(error)}`,
      )
    }
    const openTransactions = await listOpenTransactions(client)
    if (attempt >= attempts) throw lockRefused(migration.name, attempts, openTransactions)
    const pauseMs = firstPauseMs * 2 ** (attempt - 1)
    onLockTimeout({ migration: migration.name, attempt, pauseMs, openTransactions })
    await sleep(pauseMs)
  }
}

/** One attempt, rolled back when it fails; null when it was committed. */
async function apply(
  client: pg.Client,
  { name, text, sha256 }: Migration,
  lockTimeoutMs: number,
): Promise<unknown> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(text)
    await client.query('insert into infra.migration (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
    return null
  } catch (error) {
    await client.query('rollback').catch(() => {})
    return error
  }
}

const lockRefused = (name: string, attempts: number, open: readonly string[]): CannotStart =>
  new CannotStart(
    `Migration ${name} could not lock a table that other sessions use (${attempts} attempts); nothing ` +
      `was changed. Open transactions: ${open.join('; ') || 'none now'}. End them, or migrate when the ` +
      'load is lower.',
  )

async function listOpenTransactions(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ session: string }>(OPEN_TRANSACTIONS)
  return rows.map(({ session }) => session)
}

const OPEN_TRANSACTIONS = `
  select format('pid %s, %s, %s for %s s', pid, coalesce(nullif(application_name, ''), 'unnamed'), state,
      floor(extract(epoch from clock_timestamp() - xact_start))) session
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
  order by xact_start limit 5`

async function connect(client: pg.Client, url: string): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    throw new CannotStart(
      `The database at ${withoutPassword(url)} is unreachable: ${describe(error)}.`,
    )
  }
}

/** Where a database is, fit for a message. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url)
    return `${parsed.host}${parsed.pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}

function describe(error: unknown): string {
  // A host with several addresses fails with one error for each and no words of its own.
  if (error instanceof AggregateError && error.message === '') return describe(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
