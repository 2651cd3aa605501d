// Plain SQL files, applied in the order of their names, forward only. Each is one transaction, or one index
// that is built concurrently, and is recorded with its hash, so that an edited file and a newer database are
// refused before anything runs.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CannotStart } from '../process/cannot-start.ts'
import { systemClock } from '../process/clock.ts'
import {
  APPLIED,
  type Applied,
  bearsOf,
  compareSchema,
  type IndexAlone,
  indexAlone,
  type Migration,
  readMigrations,
} from './schema-history.ts'

// An arbitrary number: any two processes that migrate one database must use the same.
const LOCK_KEY = 7_236_401

export interface MigrateOptions {
  readonly migrations?: readonly Migration[]
  /** Also what no older process can bear, whatever runs: those that run may fail at anything from then on. */
  readonly stopTheWorld?: boolean
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
  const { migrations = readMigrations(), stopTheWorld = false, onProgress = () => {} } = options
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await connect(client, url)
  try {
    await takeTurn(client)
    await makeRecord(client, options)
    const { rows: applied } = await client.query<Applied>(APPLIED)
    const { missing: names, refusal } = compareSchema(applied, migrations)
    if (refusal) throw refusal
    const missing = migrations.filter(({ name }) => names.includes(name))
    if (!stopTheWorld) await refuseOverLiving(client, missing)
    for (const migration of missing) {
      onProgress(migration.name)
      await applyWithRetry(client, migration, options)
    }
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

const TURN_EVERY_MS = 100

/**
 * One process migrates at a time. Asked for again and again: a statement that waits for the lock has a
 * snapshot, and an index that is built concurrently waits for every snapshot that is older than it.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1) taken',
      [LOCK_KEY],
    )
    if (rows[0]?.taken) return
    await sleep(TURN_EVERY_MS)
  }
}

const RECORD = `
  create schema if not exists infra;
  create table if not exists infra.migration (
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    constraint migration_pkey primary key (name)
  );
  alter table infra.migration add column bears text,
    add constraint migration_bears check (bears in ('previous', 'none'));
  comment on column infra.migration.bears is
    'whose processes may run on it: of the release before, or none; null: applied before this was recorded'`

/** Once: a column waits for all that read the table, and they for it, even where it is there already. */
async function makeRecord(client: pg.Client, options: MigrateOptions): Promise<void> {
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('infra.migration') and attname = 'bears'`,
  )
  if (rows.length === 0) await withLocks(client, { name: 'of the record', text: RECORD }, options)
}

const LIVING_MS = 30_000
const MOST_NAMED = 10

/**
 * What older processes cannot bear waits until none lives: each that has a heartbeat began before this, so it
 * is older. One that was killed counts until its last heartbeat is half a minute old.
 */
async function refuseOverLiving(client: pg.Client, missing: readonly Migration[]): Promise<void> {
  const first = missing.find((migration) => bearsOf(migration) === 'none')
  if (first === undefined) return
  const { rows: known } = await client.query<{ table: string | null }>(
    `select to_regclass('infra.heartbeat') "table"`,
  )
  if (known[0]?.table == null) return
  const { rows: living } = await client.query<{ id: string }>(
    // Sets of jobs of one process beat under its id and a name.
    `select distinct split_part(process_id, ' ', 1) id from infra.heartbeat where beat_at > $1 order by id`,
    [new Date(systemClock.now().getTime() - LIVING_MS)],
  )
  if (living.length === 0) return
  const names = living.slice(0, MOST_NAMED).map(({ id }) => id)
  const others = living.length > names.length ? `, and ${living.length - names.length} more` : ''
  throw new CannotStart(
    `Migration ${first.name} can be borne by no process of an older release, and some run: ` +
      `${names.join(', ')}${others}. Nothing was changed. Stop them and migrate again (one that was ` +
      'killed counts for 30 s), or use --stop-the-world to migrate under them: they fail from then on.',
  )
}

async function applyWithRetry(
  client: pg.Client,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  const record = async (): Promise<void> => {
    await client.query('insert into infra.migration (name, sha256, bears) values ($1, $2, $3)', [
      ...[migration.name, migration.sha256, bearsOf(migration)],
    ])
  }
  const alone = indexAlone(migration)
  if (alone === null) return withLocks(client, migration, options, record)
  try {
    await buildIndex(client, alone, migration.text)
    await record()
  } catch (error) {
    throw failed(migration.name, 'left an index behind that is not used', error)
  }
}

/**
 * Waits for all transactions that write to the table, and none waits for it. What another build has left
 * behind, which is kept up to date and never read, goes first.
 */
async function buildIndex(client: pg.Client, { index }: IndexAlone, text: string): Promise<void> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  if (rows.length > 0) await client.query(`drop index concurrently ${index}`)
  await client.query(text)
}

const failed = (name: string, how: string, error: unknown): CannotStart =>
  new CannotStart(`Migration ${name} failed and ${how}: ${describe(error)}`)

/** One transaction that gives up and begins again while others hold the locks that it needs. */
async function withLocks(
  client: pg.Client,
  step: Pick<Migration, 'name' | 'text'>,
  { onLockTimeout = () => {}, lockRules = LOCK_RULES }: MigrateOptions,
  record: () => Promise<void> = async () => {},
): Promise<void> {
  const { timeoutMs, attempts, firstPauseMs } = lockRules
  for (let attempt = 1; ; attempt++) {
    const error = await apply(client, step.text, timeoutMs, record)
    if (error === null) return
    const state = error instanceof pg.DatabaseError ? error.code : undefined
    if (state !== LOCK_NOT_AVAILABLE && state !== DEADLOCK) {
      throw failed(step.name, 'left nothing behind', error)
    }
    const openTransactions = await listOpenTransactions(client)
    if (attempt >= attempts) throw lockRefused(step.name, attempts, openTransactions)
    const pauseMs = firstPauseMs * 2 ** (attempt - 1)
    onLockTimeout({ migration: step.name, attempt, pauseMs, openTransactions })
    await sleep(pauseMs)
  }
}

/** One attempt, rolled back when it fails; null when it was committed. */
async function apply(
  client: pg.Client,
  text: string,
  lockTimeoutMs: number,
  record: () => Promise<void>,
): Promise<unknown> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(text)
    await record()
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

/** Throws CannotStart, without the password, where there is no way to it. */
export async function connect(client: pg.Client, url: string): Promise<void> {
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
