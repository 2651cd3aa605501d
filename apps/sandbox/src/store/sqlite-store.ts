import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store, Table } from './store.ts'

/** The data folder cannot be used; the message is one sentence for the user. */
export class StoreFault extends Error {}

const DATABASE = 'sandbox.db'
const SCHEMA_VERSION = 3

/** From each version to the next. Tables are created by their owners, see `table`. */
const MIGRATIONS: readonly string[] = [
  `create table setting (name text primary key, value text not null) strict;
   create table customer_order (seq integer primary key, placement text not null, progress text not null) strict;
   create table world_step (seq integer primary key autoincrement, step text not null) strict;
   create table persona (partner integer primary key, token text not null) strict;
   create table mail (seq integer primary key autoincrement, mail text not null) strict;`,
  'create table bot_offer (seq integer primary key, offer text not null) strict;',
  // One form for all tables, so that a party can have one without a change to this file.
  `create table order_placement (key integer primary key, row text not null) strict;
   create table order_progress (key integer primary key, row text not null) strict;
   create table dataset_step (key integer primary key, row text not null) strict;
   insert into order_placement select seq, placement from customer_order;
   insert into order_progress select seq, progress from customer_order;
   insert into dataset_step select seq, step from world_step;
   drop table customer_order;
   drop table world_step;
   alter table persona rename column partner to key;
   alter table persona rename column token to row;
   alter table mail rename column seq to key;
   alter table mail rename column mail to row;
   alter table bot_offer rename column seq to key;
   alter table bot_offer rename column offer to row;
   update setting set name = 'dataset' where name = 'world';`,
]

/**
 * SQLite in the data folder. The write-ahead log without a flush for each commit survives any end of the
 * process, kill -9 included; a crash of the whole machine may lose the last moments, which a simulator can
 * afford (20 microseconds a commit instead of milliseconds).
 */
export function openSqliteStore(dataDir: string): Store {
  const database = open(dataDir)
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  const readSetting = database.prepare('select value from setting where name = ?')
  const writeSetting = database.prepare(
    'insert into setting (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  )
  let isInTransaction = false

  return {
    readSetting: (name) => (readSetting.get(name)?.value as string) ?? null,
    writeSetting: (name, value) => void writeSetting.run(name, value),
    table: (name) => openTable(database, name),
    atomically(work) {
      if (isInTransaction) return work()
      begin.run()
      isInTransaction = true
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        rollback.run()
        throw error
      } finally {
        isInTransaction = false
      }
    },
    close: () => database.close(),
  }
}

function openTable(database: DatabaseSync, name: string): Table {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`${name} is not a table name`)
  database.exec(
    `create table if not exists ${name} (key integer primary key, row text not null) strict`,
  )
  const write = database.prepare(
    `insert into ${name} (key, row) values (?, ?) on conflict (key) do update set row = excluded.row`,
  )
  const append = database.prepare(`insert into ${name} (row) values (?)`)
  const rows = database.prepare(`select key, row from ${name} order by key`)
  const clear = database.prepare(`delete from ${name}`)
  return {
    write: (key, row) => void write.run(key, row),
    append: (row) => void append.run(row),
    rows: () => rows.iterate() as unknown as Iterable<{ key: number; row: string }>,
    clear: () => void clear.run(),
  }
}

function open(dataDir: string): DatabaseSync {
  const path = join(dataDir, DATABASE)
  try {
    makePrivate(dataDir)
    const database = new DatabaseSync(path)
    // The exclusive lock makes a second sandbox on the same folder fail at once.
    database.exec('pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    migrate(database)
    return database
  } catch (error) {
    if (error instanceof StoreFault) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreFault(
      reason.includes('locked')
        ? `Another sandbox is using the data folder ${dataDir}.`
        : `The sandbox cannot use ${path}: ${reason}.`,
    )
  }
}

/**
 * The store holds the bots' secrets and captured e-mail, so only its owner may read it. The file exists
 * with its mode before SQLite opens it, because SQLite gives the log beside it the same mode. A folder
 * that also holds other files keeps its own mode.
 */
function makePrivate(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  closeSync(openSync(join(dataDir, DATABASE), 'a', 0o600))
  const files = readdirSync(dataDir)
  const own = files.filter((name) => name.startsWith(DATABASE))
  for (const name of own) chmodSync(join(dataDir, name), 0o600)
  if (own.length === files.length) chmodSync(dataDir, 0o700)
}

function migrate(database: DatabaseSync): void {
  const version = database.prepare('pragma user_version').get()?.user_version as number
  if (version === SCHEMA_VERSION) return
  if (version > SCHEMA_VERSION) {
    throw new StoreFault(
      `The sandbox's data folder was written by another version (${version}, this one reads ${SCHEMA_VERSION}).`,
    )
  }
  const migrations = MIGRATIONS.slice(version).join(' ')
  database.exec(`begin; ${migrations} pragma user_version = ${SCHEMA_VERSION}; commit`)
}
